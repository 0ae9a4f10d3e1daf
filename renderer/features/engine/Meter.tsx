import css from './Meter.module.css';

/** One figure of the strip; with a whole, a small bar shows the part. */
export function Meter({ label, text, part, whole, hint }: { label: string; text: string; part?: number; whole?: number; hint?: string }) {
  const ratio = whole !== undefined && whole > 0 && part !== undefined ? Math.min(1, part / whole) : null;
  return (
    <span className={css['meter']} title={hint}>
      {label !== '' && <span className={css['label']}>{label}</span>}
      {ratio !== null && (
        <span className={css['track']} aria-hidden="true">
          <span className={css['bar']} data-high={ratio > 0.9} style={{ transform: `scaleX(${Math.max(ratio, 0.02)})` }} />
        </span>
      )}
      {text}
    </span>
  );
}
