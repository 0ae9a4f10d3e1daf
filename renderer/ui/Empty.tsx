import type { ReactNode } from 'react';
import css from './Empty.module.css';

/** What stands where nothing is yet: what will be here, and what to do to get it. */
export function Empty({ icon, title, children, action }: { icon: ReactNode; title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <div className={css['empty']}>
      <div className={css['icon']} aria-hidden="true">
        {icon}
      </div>
      <h2 className={css['title']}>{title}</h2>
      <div className={css['text']}>{children}</div>
      {action !== undefined && <div className={css['action']}>{action}</div>}
    </div>
  );
}
