// A document without layout (DOCX, text), set on pages from its blocks.
//
// Owns: scrolling to a block, telling which page and clause are in view. Pages out of sight are skipped by the browser itself (content-visibility).
import { useEffect, useMemo, useRef } from 'react';
import type { Block } from '../../../core/contract/document.ts';
import { clauseAnchors, clauseOfSpan } from '../../store/places.ts';
import { useStore } from '../../store/store.ts';
import { saw } from '../../store/viewer.ts';
import { FlowBlocks } from './FlowBlocks.tsx';
import css from './FlowPages.module.css';
import { eyeOf } from './pages.ts';
import type { PagesProps } from './PdfPages.tsx';
import { usePinned } from './usePinned.ts';
import { useScroll } from './useScroll.ts';

/** Width of the set page at 100 %, in CSS pixels: about 75 characters a line. */
const SHEET = 720;

function byPage(blocks: readonly Block[], pages: number): readonly (readonly Block[])[] {
  const sheets: Block[][] = Array.from({ length: Math.max(1, pages) }, () => []);
  for (const block of blocks) sheets[Math.min(sheets.length - 1, block.at[0]?.page ?? 0)]!.push(block);
  return sheets;
}

/** The last block whose top lies above `y`, found from what is laid out. */
function blockAbove(pane: HTMLElement, y: number): HTMLElement | null {
  let found: HTMLElement | null = null;
  for (const element of pane.querySelectorAll<HTMLElement>('[data-block]')) {
    if (element.getBoundingClientRect().top > y) break;
    found = element;
  }
  return found;
}

export function FlowPages({ document, zoom, onZoom }: PagesProps) {
  const pane = useRef<HTMLDivElement>(null);
  const { top, width, height } = useScroll(pane);
  const target = useStore((state) => state.viewer.target);
  const pinned = usePinned(pane);
  const sheets = useMemo(() => byPage(document.blocks, document.pages.length), [document]);
  const scale = zoom === 'fit' ? Math.max(0.9, Math.min(1.15, (width - 48) / SHEET)) : zoom;
  useEffect(() => onZoom(scale), [scale, onZoom]);
  const order = useMemo(() => {
    const index = new Map(document.blocks.map((block, at) => [block.id, at]));
    return { index, anchors: clauseAnchors(document).map((anchor) => ({ clauseId: anchor.clauseId, at: index.get(anchor.blockId) ?? 0 })) };
  }, [document]);
  useEffect(() => {
    if (!pane.current || height === 0) return;
    const block = blockAbove(pane.current, pane.current.getBoundingClientRect().top + eyeOf(top, height) + 40);
    const at = order.index.get(block?.dataset['block'] ?? '') ?? 0;
    const page = document.blocks[at]?.at[0]?.page ?? 0;
    const seen = pinned.get() ?? { page, clauseId: order.anchors.findLast((anchor) => anchor.at <= at)?.clauseId ?? null };
    saw(seen.page, seen.clauseId);
  }, [document, order, top, height, pinned]);
  useEffect(() => {
    if (!target || !pane.current || width === 0) return;
    const selector = target.span === null ? `[data-sheet="${target.page}"]` : `[data-block="${CSS.escape(target.span.blockId)}"]`;
    pane.current.querySelector(selector)?.scrollIntoView({ block: target.span === null ? 'start' : 'center' });
    const place = target.span === null ? null : { page: target.page, clauseId: clauseOfSpan(document, target.span) };
    pinned.set(place);
    if (place) saw(place.page, place.clauseId);
  }, [target, document, width, pinned]);
  return (
    <div ref={pane} className={css['pane']} tabIndex={0} role="region" aria-label={`Pages of ${document.name}`} data-testid="pages">
      <div className={css['column']} style={{ width: SHEET * scale, fontSize: 15 * scale }}>
        {sheets.map((blocks, index) => (
          <article key={index} className={css['sheet']} data-sheet={index} data-testid="page" data-page={index}>
            <FlowBlocks document={document} blocks={blocks} />
            {sheets.length > 1 && <footer className={css['label']}>{document.pages[index]?.label}</footer>}
          </article>
        ))}
      </div>
    </div>
  );
}
