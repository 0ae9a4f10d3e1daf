import { FileCode2, FileText, FileType2, FileType, Mail, Trash2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { DocumentSummary } from '../../../core/contract/document.ts';
import { removeDocument } from '../../store/library.ts';
import { useStore } from '../../store/store.ts';
import { openDocument } from '../../store/viewer.ts';
import { Button } from '../../ui/Button.tsx';
import { bytes, plural } from '../../ui/format.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Progress } from '../../ui/Progress.tsx';
import css from './DocumentRow.module.css';

const ICONS = { pdf: FileText, docx: FileType2, text: FileType, html: FileCode2, eml: Mail } as const;

export function DocumentRow({ document, open }: { readonly document: DocumentSummary; readonly open: boolean }) {
  const [asking, setAsking] = useState(false);
  const reading = useStore((state) => state.library.reading[document.id]);
  const Icon = ICONS[document.kind];
  const busy = reading !== undefined && reading.done < reading.total;
  const warning = document.warnings.map((entry) => entry.message).join('\n');
  return (
    <li className={css['row']} data-open={open} data-testid="document-row" data-document={document.id}>
      <button type="button" className={css['main']} aria-current={open ? 'true' : undefined} title={document.name} onClick={() => openDocument(document.id)}>
        <Icon aria-hidden="true" className={css['icon']} />
        <span className={css['text']}>
          <span className={css['name']}>{document.name}</span>
          <span className={css['facts']}>
            {busy
              ? `Reading ${reading.done} of ${reading.total}`
              : `${plural(document.pages, 'page')} · ${plural(document.clauses, 'clause')} · ${bytes(document.bytes)}`}
          </span>
        </span>
      </button>
      {warning !== '' && (
        <span className={css['warning']} title={warning} role="img" aria-label={warning}>
          <TriangleAlert />
        </span>
      )}
      {asking ? (
        <span className={css['sure']}>
          <Button look="danger" data-testid="document-remove-sure" onClick={() => void removeDocument(document.id)}>
            Remove
          </Button>
          <Button look="quiet" onClick={() => setAsking(false)}>
            Keep
          </Button>
        </span>
      ) : (
        <IconButton small label={`Remove ${document.name}`} className={css['remove']} data-testid="document-remove" onClick={() => setAsking(true)}>
          <Trash2 />
        </IconButton>
      )}
      {busy && (
        <div className={css['progress']}>
          <Progress done={reading.done} total={reading.total} label={`Reading ${document.name}`} />
        </div>
      )}
    </li>
  );
}
