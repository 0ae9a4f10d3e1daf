import type { KeyboardEvent, PointerEvent } from 'react';
import css from './Splitter.module.css';

/** The draggable edge between two panes; arrow keys move it by 16 px. `sign` is -1 where the pane it sizes lies to the right. */
export function Splitter({
  label,
  value,
  min,
  max,
  sign,
  onChange,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  sign: 1 | -1;
  onChange: (value: number) => void;
}) {
  const clamp = (width: number) => Math.round(Math.max(min, Math.min(max, width)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const handle = event.currentTarget;
    const from = event.clientX;
    const move = (moved: globalThis.PointerEvent) => onChange(clamp(value + sign * (moved.clientX - from)));
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), { once: true });
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 16 : event.key === 'ArrowLeft' ? -16 : 0;
    if (step !== 0) onChange(clamp(value + sign * step));
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={css['splitter']}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
