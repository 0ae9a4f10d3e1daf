// One page: pdf.js's picture, its selectable text, and what is laid between them.
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import type { Page } from '../../../core/contract/document.ts';
import { drawPage, type Drawing, isCancelled, layText } from './pdf.ts';
import css from './PdfPage.module.css';

interface Props {
  readonly pdf: PDFDocumentProxy | null;
  readonly index: number;
  readonly page: Page;
  readonly scale: number;
  readonly top: number;
  /** What lies between the picture and the selectable text: highlights. */
  readonly children?: React.ReactNode;
}

/** Draws after a pause in zooming; the old picture is stretched until then, so nothing flickers. */
const SETTLE_MS = 60;

export function PdfPage({ pdf, index, page, scale, top, children }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (!pdf) return undefined;
    const drawings: Drawing[] = [];
    let current = true;
    const draw = async () => {
      const source = await pdf.getPage(index + 1);
      if (!current || !canvas.current || !text.current) return;
      // Drawn aside and then copied: a canvas is empty the moment its size is set.
      const picture = window.document.createElement('canvas');
      const drawing = drawPage(source, picture, scale);
      drawings.push(drawing);
      await drawing.done;
      if (!current || !canvas.current || !text.current) return;
      canvas.current.width = picture.width;
      canvas.current.height = picture.height;
      canvas.current.getContext('2d')?.drawImage(picture, 0, 0);
      canvas.current.dataset['drawn'] = 'true';
      text.current.replaceChildren();
      const layer = layText(source, text.current, scale);
      drawings.push(layer);
      await layer.done;
    };
    const timer = setTimeout(
      () => {
        draw().catch((error: unknown) => {
          if (current && !isCancelled(error)) setFailure(error instanceof Error ? error.message : String(error));
        });
      },
      canvas.current?.dataset['drawn'] ? SETTLE_MS : 0,
    );
    return () => {
      current = false;
      clearTimeout(timer);
      for (const drawing of drawings) drawing.cancel();
    };
  }, [pdf, index, scale]);
  const size = { width: page.width * scale, height: page.height * scale, transform: `translate(-50%, ${top}px)`, ['--total-scale-factor' as string]: scale };
  return (
    <div className={css['page']} style={size} data-testid="page" data-page={index} aria-label={`Page ${page.label}`}>
      <canvas ref={canvas} className={css['canvas']} aria-hidden="true" />
      {children}
      <div ref={text} className={css['text']} />
      {failure !== null && <p className={css['failure']}>This page cannot be drawn: {failure}</p>}
    </div>
  );
}
