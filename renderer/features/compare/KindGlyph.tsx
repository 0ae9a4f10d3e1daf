import type { Change } from '../../../core/contract/comparison.ts';
import { KINDS } from './kinds.ts';
import css from './KindGlyph.module.css';

export function KindGlyph({ kind }: { readonly kind: Change['kind'] }) {
  const { Icon, tone, word } = KINDS[kind];
  return (
    <span className={css[tone]} title={word} role="img" aria-label={word}>
      <Icon />
    </span>
  );
}
