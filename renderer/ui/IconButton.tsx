import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { classes } from './classes.ts';
import css from './IconButton.module.css';

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Said by a screen reader and shown as the tooltip. */
  readonly label: string;
  readonly children: ReactNode;
  readonly small?: boolean;
}

export function IconButton({ label, children, small, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" title={label} aria-label={label} {...rest} className={classes(css['icon'], small && css['small'], className)}>
      {children}
    </button>
  );
}
