import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { classes } from './classes.ts';
import css from './Button.module.css';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: ReactNode;
}

export function Button({ look = 'plain', icon, children, className, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={classes(css['button'], css[look], className)}>
      {icon}
      {children !== undefined && <span className={css['label']}>{children}</span>}
    </button>
  );
}
