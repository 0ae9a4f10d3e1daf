// The middle pane: toolbar and the open document, or what to do when there is none.
import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import { useStore } from '../../store/store.ts';
import { zoomBy } from '../../store/viewer.ts';
import { Empty } from '../../ui/Empty.tsx';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { Progress } from '../../ui/Progress.tsx';
import { FlowPages } from './FlowPages.tsx';
import { PdfPages } from './PdfPages.tsx';
import { PreviewPages } from './PreviewPages.tsx';
import css from './Viewer.module.css';
import { ViewerBar } from './ViewerBar.tsx';

export function Viewer() {
  const { openId, preview, documents, zoom } = useStore((state) => state.viewer);
  const job = openId === null ? undefined : documents[openId];
  const [shownZoom, setShownZoom] = useState(1);
  if (preview !== null) return <PreviewPages key={preview} id={preview} />;
  if (openId === null) {
    return (
      <Empty icon={<BookOpen />} title="Nothing is open">
        Add a document, then choose it on the left. Answers, changes and findings show their place here, on the page they come from.
      </Empty>
    );
  }
  if (job === undefined || job.status === 'running') {
    return (
      <div className={css['loading']}>
        <Progress done={0} total={0} label="Opening the document" />
      </div>
    );
  }
  if (job.status === 'failed') {
    return (
      <div className={css['failed']}>
        <FailureNote sentence={ERROR_SENTENCES[job.failure.code]} message={job.failure.message} code={job.failure.code} />
      </div>
    );
  }
  const wheel = (event: React.WheelEvent) => {
    if (event.ctrlKey || event.metaKey) zoomBy(event.deltaY < 0 ? 1 : -1, shownZoom);
  };
  const Pages = job.value.kind === 'pdf' ? PdfPages : FlowPages;
  return (
    <div className={css['viewer']} data-testid="viewer" data-document={openId} onWheel={wheel}>
      <ViewerBar document={job.value} zoom={shownZoom} />
      <Pages key={openId} document={job.value} zoom={zoom} onZoom={setShownZoom} />
    </div>
  );
}
