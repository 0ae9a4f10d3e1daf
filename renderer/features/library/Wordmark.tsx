import css from './Wordmark.module.css';

/** The name with its mark: a page with one highlighted line. */
export function Wordmark() {
  return (
    <div className={css['wordmark']}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path className={css['page']} d="M4.5 2.5h7.2l3.8 3.8v11.2h-11z" />
        <path className={css['fold']} d="M11.5 2.7v3.8h3.8" />
        <rect className={css['mark']} x="3" y="9.6" width="14" height="3.4" rx="1" />
      </svg>
      Codicil
    </div>
  );
}
