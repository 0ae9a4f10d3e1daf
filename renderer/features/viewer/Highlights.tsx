// Highlights over a PDF page, exact to the character. One box per drawn line; the number of a citation stands beside its first box.
import { useMemo } from 'react';
import type { Document, Place } from '../../../core/contract/document.ts';
import { spanPlaces } from '../../store/places.ts';
import type { Mark } from '../../store/state.ts';
import { useStore } from '../../store/store.ts';
import css from './Highlights.module.css';

interface Props {
  readonly document: Document;
  readonly page: number;
  readonly scale: number;
}

function placesOn(document: Document, mark: Mark, page: number): readonly Place[] {
  return mark.spans.filter((span) => span.documentId === document.id).flatMap((span) => spanPlaces(document, span).filter((place) => place.page === page && place.box !== null));
}

/** Air above and below the letters, in points, so that a highlight looks drawn by hand and not cut out. */
const AIR = 1.2;

export function Highlights({ document, page, scale }: Props) {
  const marks = useStore((state) => state.viewer.marks);
  const activeMark = useStore((state) => state.viewer.activeMark);
  const drawn = useMemo(() => marks.map((mark) => ({ mark, places: placesOn(document, mark, page) })).filter(({ places }) => places.length > 0), [document, marks, page]);
  if (drawn.length === 0) return null;
  return (
    <div className={css['layer']}>
      {drawn.map(({ mark, places }) => (
        <div key={mark.id} className={css[mark.tone]} data-active={mark.id === activeMark} data-testid="highlight" data-mark={mark.id}>
          {places.map(({ box }, at) => {
            const { x0, y0, x1, y1 } = box!;
            const style = { left: x0 * scale - 1, top: (y0 - AIR) * scale, width: (x1 - x0) * scale + 2, height: (y1 - y0 + 2 * AIR) * scale };
            return (
              <div key={at} className={css['box']} style={style} data-testid="highlight-box">
                {at === 0 && mark.n !== undefined && <span className={css['number']}>{mark.n}</span>}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
