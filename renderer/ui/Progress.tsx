import css from './Progress.module.css';

/** A thin bar; without a total it runs, because nothing is known about the end. */
export function Progress({ done, total, label }: { readonly done: number; readonly total: number; readonly label: string }) {
  const known = total > 0;
  const part = known ? Math.min(1, done / total) : 0;
  return (
    <div className={css['track']} role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={total} {...(known ? { 'aria-valuenow': done } : {})}>
      <div className={known ? css['bar'] : css['running']} style={known ? { transform: `scaleX(${part})` } : undefined} />
    </div>
  );
}
