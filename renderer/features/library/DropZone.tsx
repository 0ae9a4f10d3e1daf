// The whole window takes files; this shows that it does while something is dragged over it.
import { FileDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { addFiles } from '../../store/intake.ts';
import css from './DropZone.module.css';
import { filesOfDrop } from './files.ts';

const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

export function DropZone() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0;
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      depth++;
      setOver(true);
    };
    const leave = () => {
      depth = Math.max(0, depth - 1);
      if (depth === 0) setOver(false);
    };
    const hover = (event: DragEvent) => {
      if (carriesFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      depth = 0;
      setOver(false);
      if (event.dataTransfer) void filesOfDrop(event.dataTransfer).then(addFiles);
    };
    const stop = new AbortController();
    window.addEventListener('dragenter', enter, stop);
    window.addEventListener('dragleave', leave, stop);
    window.addEventListener('dragover', hover, stop);
    window.addEventListener('drop', drop, stop);
    return () => stop.abort();
  }, []);
  if (!over) return null;
  return (
    <div className={css['zone']} data-testid="drop-zone">
      <div className={css['card']}>
        <FileDown aria-hidden="true" />
        <strong>Drop to read</strong>
        <span>PDF, DOCX, text, Markdown, HTML, mail and scans. Folders too.</span>
      </div>
    </div>
  );
}
