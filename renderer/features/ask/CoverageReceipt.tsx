// The receipt: how much of what was asked about has been read. "Everything" is only said when it is so.
import { ReceiptText } from 'lucide-react';
import type { Coverage } from '../../../core/contract/answer.ts';
import { count, plural, tokens } from '../../ui/format.ts';
import css from './CoverageReceipt.module.css';

export function CoverageReceipt({ coverage }: { readonly coverage: Coverage }) {
  const whole = coverage.pagesRead >= coverage.pages && coverage.windowsRead >= coverage.windows;
  const pages = whole ? `all ${plural(coverage.pages, 'page')}` : `${count(coverage.pagesRead)} of ${plural(coverage.pages, 'page')}`;
  return (
    <div className={css['receipt']} data-testid="coverage" data-whole={whole}>
      <ReceiptText aria-hidden="true" />
      <span>
        Read <strong>{pages}</strong> of {plural(coverage.documents, 'document')}:{' '}
        {whole ? plural(coverage.windows, 'window') : `${count(coverage.windowsRead)} of ${plural(coverage.windows, 'window')}`}, {tokens(coverage.tokens)}{' '}
        tokens
        {coverage.ocrPages > 0 && `, ${plural(coverage.ocrPages, 'page')} by text recognition`}
      </span>
    </div>
  );
}
