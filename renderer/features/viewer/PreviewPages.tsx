// The pages of a PDF that is still being read: pdf.js draws them from the dropped bytes, so the first page is on screen at once.
//
// Owns: opening and letting go of that file. There is no Document yet, so nothing is marked and no clause is named.
// Rule: what pdf.js cannot open shows nothing here; the file's own row says what is wrong with it.
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Page } from '../../../core/contract/document.ts';
import { intakeFile } from '../../store/intake.ts';
import { useStore } from '../../store/store.ts';
import { Progress } from '../../ui/Progress.tsx';
import { fitScale, layOut, MARGIN, pageAt } from './pages.ts';
import { openPreview } from './pdf.ts';
import css from './PdfPages.module.css';
import { PdfPage } from './PdfPage.tsx';
import preview from './PreviewPages.module.css';
import { useScroll } from './useScroll.ts';

interface Opened {
  readonly pdf: PDFDocumentProxy;
  readonly pages: readonly Page[];
}

/** Sizes are asked for as far as one scrolls in the seconds that reading takes; later pages are taken to be like the last of these. */
const MEASURED_PAGES = 24;

async function measure(pdf: PDFDocumentProxy): Promise<readonly Page[]> {
  const pages: Page[] = [];
  for (let index = 0; index < pdf.numPages; index++) {
    const known = pages.at(-1);
    if (index >= MEASURED_PAGES && known) pages.push({ ...known, label: String(index + 1) });
    else {
      const { width, height } = (await pdf.getPage(index + 1)).getViewport({ scale: 1 });
      pages.push({ width, height, label: String(index + 1), source: 'digital', confidence: null });
    }
  }
  return pages;
}

function useOpened(id: number): Opened | null {
  const [opened, setOpened] = useState<Opened | null>(null);
  useEffect(() => {
    const file = intakeFile(id);
    if (!file) return undefined;
    let current = true;
    const task = openPreview(file.bytes, file.password);
    const open = async () => {
      const pdf = await task.promise;
      const pages = await measure(pdf);
      if (current) setOpened({ pdf, pages });
    };
    // A file that cannot be opened is reported by the reader, in its row; the preview of it stays empty.
    open().catch(() => current && setOpened(null));
    return () => {
      current = false;
      void task.destroy();
    };
  }, [id]);
  return opened;
}

export function PreviewPages({ id }: { readonly id: number }) {
  const pane = useRef<HTMLDivElement>(null);
  const { top, width, height } = useScroll(pane);
  const opened = useOpened(id);
  const item = useStore((state) => state.intake.find((other) => other.id === id));
  const pages = useMemo(() => opened?.pages ?? [], [opened]);
  const scale = fitScale(pages, width);
  const column = useMemo(() => layOut(pages, scale), [pages, scale]);
  const first = Math.max(0, pageAt(column, top) - 1);
  const last = Math.min(pages.length - 1, pageAt(column, top + height) + 1);
  return (
    <div className={preview['viewer']} data-testid="preview">
      <header className={preview['bar']}>
        <h1 className={preview['name']}>{item?.name}</h1>
        <span className={preview['state']}>{item && item.total > 0 ? `Reading page ${item.done} of ${item.total}` : 'Opening'}</span>
        <Progress done={item?.done ?? 0} total={item?.total ?? 0} label={`Reading ${item?.name ?? 'the file'}`} />
      </header>
      <div ref={pane} className={css['pane']} tabIndex={0} role="region" aria-label={`Pages of ${item?.name ?? 'the file being read'}`}>
        <div className={css['column']} style={{ height: column.height, minWidth: Math.max(0, ...pages.map((page) => page.width)) * scale + 2 * MARGIN }}>
          {opened !== null &&
            width > 0 &&
            pages
              .slice(first, last + 1)
              .map((page, at) => <PdfPage key={first + at} pdf={opened.pdf} index={first + at} page={page} scale={scale} top={column.tops[first + at]!} />)}
        </div>
      </div>
    </div>
  );
}
