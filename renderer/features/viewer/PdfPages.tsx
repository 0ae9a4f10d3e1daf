// The column of a PDF's pages: only those near the window are drawn, the others are room.
//
// Owns: layout, scrolling to a target, telling which page and clause are in view. Leaves a page's own content to PdfPage.
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Document } from '../../../core/contract/document.ts';
import { ERROR_SENTENCES, type Failure, toFailure } from '../../../core/contract/errors.ts';
import { clauseAt, clauseOfSpan } from '../../store/places.ts';
import { rememberPassword } from '../../store/passwords.ts';
import { useStore } from '../../store/store.ts';
import { saw } from '../../store/viewer.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { PasswordForm } from '../../ui/PasswordForm.tsx';
import { Highlights } from './Highlights.tsx';
import { eyeOf, fitScale, layOut, MARGIN, pageAt, PIXELS_PER_POINT } from './pages.ts';
import { openPdf } from './pdf.ts';
import css from './PdfPages.module.css';
import { PdfPage } from './PdfPage.tsx';
import { usePinned } from './usePinned.ts';
import { useScroll } from './useScroll.ts';

export interface PagesProps {
  readonly document: Document;
  readonly zoom: number | 'fit';
  readonly onZoom: (zoom: number) => void;
}

interface Opened {
  readonly pdf: PDFDocumentProxy | null;
  readonly failure: Failure | null;
  readonly unlock: (password: string) => void;
}

function usePdf(documentId: string): Opened {
  const [pdf, setPdf] = useState<PDFDocumentProxy | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [password, setPassword] = useState<string | null>(null);
  useEffect(() => {
    let current = true;
    const open = async () => {
      if (password !== null) rememberPassword(documentId, password);
      try {
        const file = await openPdf(documentId);
        if (!current) return;
        setPdf(file);
        setFailure(null);
      } catch (error) {
        if (current) setFailure(toFailure(error));
      }
    };
    void open();
    return () => {
      current = false;
    };
  }, [documentId, password]);
  return { pdf, failure, unlock: setPassword };
}

export function PdfPages({ document, zoom, onZoom }: PagesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const { top, width, height } = useScroll(pane);
  const { pdf, failure, unlock } = usePdf(document.id);
  const target = useStore((state) => state.viewer.target);
  const pinned = usePinned(pane);
  const scale = zoom === 'fit' ? fitScale(document.pages, width) : zoom * PIXELS_PER_POINT;
  const column = useMemo(() => layOut(document.pages, scale), [document, scale]);
  const first = Math.max(0, pageAt(column, top) - 1);
  const last = Math.min(document.pages.length - 1, pageAt(column, top + height) + 1);

  useEffect(() => onZoom(scale / PIXELS_PER_POINT), [scale, onZoom]);
  useEffect(() => {
    if (height === 0) return;
    const y = top + eyeOf(top, height);
    const page = pageAt(column, y);
    const seen = pinned.get() ?? { page, clauseId: clauseAt(document, page, (y - column.tops[page]!) / scale) };
    saw(seen.page, seen.clauseId);
  }, [document, column, scale, top, height, pinned]);
  // Keeps the place on the page when the scale changes.
  const before = useRef(scale);
  useEffect(() => {
    if (pane.current && before.current !== scale) pane.current.scrollTop = (pane.current.scrollTop - MARGIN) * (scale / before.current) + MARGIN;
    before.current = scale;
  }, [scale]);
  const done = useRef(0);
  useEffect(() => {
    if (!target || !pane.current || width === 0 || done.current === target.turn) return;
    done.current = target.turn;
    const place = target.span === null ? null : { page: target.page, clauseId: clauseOfSpan(document, target.span) };
    pinned.set(place);
    if (place) saw(place.page, place.clauseId);
    const y = (column.tops[target.page] ?? 0) + (target.y ?? 0) * scale;
    pane.current.scrollTo({ top: target.y === 0 ? y - MARGIN / 2 : y - pane.current.clientHeight / 3 });
  }, [target, document, column, scale, width, pinned]);

  const widest = Math.max(...document.pages.map((page) => page.width)) * scale;
  return (
    <div ref={pane} className={css['pane']} tabIndex={0} role="region" aria-label={`Pages of ${document.name}`} data-testid="pages">
      {failure !== null && (
        <div className={css['failure']}>
          <FailureNote sentence={ERROR_SENTENCES[failure.code]} message={failure.message} code={failure.code}>
            {failure.code === 'encrypted' && <PasswordForm name={document.name} onPassword={unlock} />}
          </FailureNote>
        </div>
      )}
      <div className={css['column']} style={{ height: column.height, minWidth: widest + 2 * MARGIN }}>
        {width > 0 &&
          document.pages.slice(first, last + 1).map((page, at) => (
            <PdfPage key={first + at} pdf={pdf} index={first + at} page={page} scale={scale} top={column.tops[first + at]!}>
              <Highlights document={document} page={first + at} scale={scale} />
            </PdfPage>
          ))}
      </div>
    </div>
  );
}
