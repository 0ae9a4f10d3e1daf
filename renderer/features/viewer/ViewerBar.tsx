// Name, page and zoom of the open document.
import { ChevronLeft, ChevronRight, Highlighter, Maximize2, Minus, Plus } from 'lucide-react';
import type { Document } from '../../../core/contract/document.ts';
import { useStore } from '../../store/store.ts';
import { clearMarks, goToPage, zoomBy, zoomTo } from '../../store/viewer.ts';
import { Button } from '../../ui/Button.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { clausePath } from './clausePath.ts';
import css from './ViewerBar.module.css';

/** A page by its printed label or, where no page is labelled so, by its number. */
function findPage(document: Document, text: string): number {
  const byLabel = document.pages.findIndex((page) => page.label === text.trim());
  return byLabel >= 0 ? byLabel : Math.max(0, Math.min(document.pages.length, Number.parseInt(text, 10) || 1) - 1);
}

function PageField({ document }: { readonly document: Document }) {
  const page = useStore((state) => state.viewer.page);
  const label = document.pages[page]?.label ?? '';
  const submit = (event: React.FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('page');
    if (typeof text === 'string') goToPage(findPage(document, text));
  };
  const step = (to: number) => () => goToPage(Math.max(0, Math.min(document.pages.length - 1, to)));
  return (
    <form className={css['page']} onSubmit={submit}>
      <IconButton small label="Page before" disabled={page === 0} onClick={step(page - 1)}>
        <ChevronLeft />
      </IconButton>
      <input
        key={`${document.id}:${page}`}
        name="page"
        aria-label="Page"
        data-testid="page-label"
        defaultValue={label}
        onFocus={(event) => event.target.select()}
      />
      <span className={css['of']}>{label === String(page + 1) ? `of ${document.pages.length}` : `(${page + 1} of ${document.pages.length})`}</span>
      <IconButton small label="Next page" disabled={page >= document.pages.length - 1} onClick={step(page + 1)}>
        <ChevronRight />
      </IconButton>
    </form>
  );
}

export function ViewerBar({ document, zoom }: { readonly document: Document; readonly zoom: number }) {
  const clauseId = useStore((state) => state.viewer.clauseId);
  const marks = useStore((state) => state.viewer.marks.length);
  const clause = clausePath(document, clauseId);
  return (
    <header className={css['bar']}>
      <div className={css['title']}>
        <h1 className={css['name']} title={document.name}>
          {document.name}
        </h1>
        {clause !== '' && (
          <span className={css['clause']} data-testid="current-clause">
            {clause}
          </span>
        )}
      </div>
      {marks > 0 && (
        <Button look="quiet" className={css['clear']} icon={<Highlighter />} title="Take the highlights away" data-testid="clear-marks" onClick={clearMarks}>
          Clear
        </Button>
      )}
      <PageField document={document} />
      <div className={css['zoom']}>
        <IconButton small label="Zoom out" onClick={() => zoomBy(-1, zoom)}>
          <Minus />
        </IconButton>
        <span className={css['percent']} data-testid="zoom">
          {Math.round(zoom * 100)}%
        </span>
        <IconButton small label="Zoom in" onClick={() => zoomBy(1, zoom)}>
          <Plus />
        </IconButton>
        <IconButton small label="Fit the width" onClick={() => zoomTo('fit')}>
          <Maximize2 />
        </IconButton>
      </div>
    </header>
  );
}
