// The documents of the library, the files on their way into it, and the button that adds more.
import { FilePlus2, FolderOpen, LibraryBig } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import { shell } from '../../ipc.ts';
import { addFiles } from '../../store/intake.ts';
import { useStore } from '../../store/store.ts';
import { Button } from '../../ui/Button.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { DocumentRow } from './DocumentRow.tsx';
import { ACCEPT, bytesOf } from './files.ts';
import { IntakeRow } from './IntakeRow.tsx';
import css from './LibraryPane.module.css';
import { Wordmark } from './Wordmark.tsx';

/** Opens the shell's dialog where there is a shell, the browser's where there is not. */
function useFileDialog(): { readonly open: () => void; readonly input: React.ReactNode } {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    shell?.onFiles(addFiles);
  }, []);
  const open = () => {
    if (shell) void shell.openFiles().then(addFiles);
    else input.current?.click();
  };
  const take = (list: FileList | null) => void Promise.all([...(list ?? [])].map(bytesOf)).then(addFiles);
  return {
    open,
    input: (
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPT}
        data-testid="file-input"
        aria-label="Add documents"
        onChange={(event) => {
          take(event.target.files);
          event.target.value = '';
        }}
      />
    ),
  };
}

export function LibraryPane() {
  const { documents, loaded, failure } = useStore((state) => state.library);
  const intake = useStore((state) => state.intake);
  const openId = useStore((state) => state.viewer.openId);
  const dialog = useFileDialog();
  const empty = loaded && documents.length === 0 && intake.length === 0;
  return (
    <section className={css['library']} data-empty={empty} aria-label="Documents">
      <header className={css['bar']}>
        <Wordmark />
        <IconButton label="Add documents" data-testid="add" onClick={dialog.open}>
          <FilePlus2 />
        </IconButton>
        {dialog.input}
      </header>
      {failure && <FailureNote sentence={ERROR_SENTENCES[failure.code]} message={failure.message} code={failure.code} />}
      {empty ? (
        <Empty
          icon={<LibraryBig />}
          title="Drop documents anywhere"
          action={
            <Button look="primary" icon={<FolderOpen />} onClick={dialog.open}>
              Choose files
            </Button>
          }
        >
          Contracts, amendments, policies: PDF, DOCX or text, one or a whole folder. They are read on this machine and stay on it.
        </Empty>
      ) : (
        <ul className={css['list']}>
          {intake.map((item) => (
            <IntakeRow key={item.id} item={item} />
          ))}
          {documents.map((document) => (
            <DocumentRow key={document.id} document={document} open={document.id === openId} />
          ))}
        </ul>
      )}
    </section>
  );
}
