// Highlights over a PDF page, exact to the character. One box per drawn line; the number of a citation stands in the margin.
import { useMemo } from 'react';
import type { Document, Place } from '../../../core/contract/document.ts';
import { blocksById, spanPlaces } from '../../store/places.ts';
import type { Mark } from '../../store/state.ts';
import { useStore } from '../../store/store.ts';
import css from './Highlights.module.css';

interface Props {
  readonly document: Document;
  readonly page: number;
  readonly scale: number;
}

function placesOn(document: Document, mark: Mark, page: number): readonly Place[] {
  return mark.spans
    .filter((span) => span.documentId === document.id)
    .flatMap((span) => spanPlaces(document, span).filter((place) => place.page === page && place.box !== null));
}

/** Left edge of the marked block on the page: the number stands beside the text, never on it. */
function marginOf(document: Document, mark: Mark, page: number): number {
  const blocks = blocksById(document);
  const lines = mark.spans.flatMap((span) => blocks.get(span.blockId)?.lines ?? []).filter((line) => line.page === page);
  return Math.min(...lines.map((line) => line.box.x0), document.pages[page]?.width ?? 0);
}

/** Air above and below the letters, in points, so that a highlight looks drawn by hand and not cut out. */
const AIR = 1.2;

export function Highlights({ document, page, scale }: Props) {
  const marks = useStore((state) => state.viewer.marks);
  const activeMark = useStore((state) => state.viewer.activeMark);
  const drawn = useMemo(
    () => marks.map((mark) => ({ mark, places: placesOn(document, mark, page) })).filter(({ places }) => places.length > 0),
    [document, marks, page],
  );
  if (drawn.length === 0) return null;
  return (
    <div className={css['layer']}>
      {drawn.map(({ mark, places }) => (
        <div key={mark.id} className={css[mark.tone]} data-active={mark.id === activeMark} data-testid="highlight" data-mark={mark.id}>
          {mark.n !== undefined && (
            <span
              className={css['number']}
              style={{ left: marginOf(document, mark, page) * scale - 26, top: (places[0]!.box!.y0 + places[0]!.box!.y1) * 0.5 * scale }}
            >
              {mark.n}
            </span>
          )}
          {places.map(({ box }, at) => {
            const { x0, y0, x1, y1 } = box!;
            const style = { left: x0 * scale - 1, top: (y0 - AIR) * scale, width: (x1 - x0) * scale + 2, height: (y1 - y0 + 2 * AIR) * scale };
            return <div key={at} className={css['box']} style={style} data-testid="highlight-box" />;
          })}
        </div>
      ))}
    </div>
  );
}
