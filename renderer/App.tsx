// Lays out the features: library and outline on the left, the document in the middle, work on the right, the engine strip below.
import { FileSearch, GitCompareArrows, ListChecks, MessageSquareQuote } from 'lucide-react';
import css from './App.module.css';
import { AskPane } from './features/ask/AskPane.tsx';
import { ComparePane } from './features/compare/ComparePane.tsx';
import { SideBySide } from './features/compare/SideBySide.tsx';
import { EngineStrip } from './features/engine/EngineStrip.tsx';
import { DropZone } from './features/library/DropZone.tsx';
import { LibraryPane } from './features/library/LibraryPane.tsx';
import { ReviewPane } from './features/review/ReviewPane.tsx';
import { SettingsButton } from './features/settings/SettingsButton.tsx';
import { ThemeButton } from './features/settings/ThemeButton.tsx';
import { SummaryPane } from './features/summary/SummaryPane.tsx';
import { Outline } from './features/viewer/Outline.tsx';
import { Viewer } from './features/viewer/Viewer.tsx';
import { setTab, setWidths } from './store/layout.ts';
import type { TabId } from './store/state.ts';
import { useStore } from './store/store.ts';
import { Splitter } from './ui/Splitter.tsx';
import { type Tab, Tabs } from './ui/Tabs.tsx';

const TABS: readonly Tab<TabId>[] = [
  { id: 'ask', label: 'Ask', icon: <MessageSquareQuote aria-hidden="true" /> },
  { id: 'compare', label: 'Compare', icon: <GitCompareArrows aria-hidden="true" /> },
  { id: 'summary', label: 'Summary', icon: <ListChecks aria-hidden="true" /> },
  { id: 'review', label: 'Review', icon: <FileSearch aria-hidden="true" /> },
];
const PANES: Readonly<Record<TabId, () => React.ReactNode>> = { ask: AskPane, compare: ComparePane, summary: SummaryPane, review: ReviewPane };

function WorkPane({ tab }: { readonly tab: TabId }) {
  const Pane = PANES[tab];
  return (
    <section className={css['right']} aria-label="Work">
      <header className={css['bar']}>
        <Tabs tabs={TABS} value={tab} onChange={setTab} label="Work" />
        <span className={css['tools']}>
          <ThemeButton />
          <SettingsButton />
        </span>
      </header>
      <div key={tab} id={`panel-${tab}`} role="tabpanel" aria-labelledby={`tab-${tab}`} className={css['panel']}>
        <Pane />
      </div>
    </section>
  );
}

export function App() {
  const { tab, middle, left, right } = useStore((state) => state.layout);
  return (
    <div className={css['app']}>
      <div className={css['panes']} style={{ gridTemplateColumns: `min(${left}px, 24vw) 1px minmax(320px, 1fr) 1px min(${right}px, 37vw)` }}>
        <aside className={css['left']} aria-label="Library">
          <LibraryPane />
          <Outline />
        </aside>
        <Splitter label="Width of the library" value={left} min={220} max={460} sign={1} onChange={(width) => setWidths({ left: width })} />
        <main className={css['middle']} aria-label="Document">
          {middle === 'sideBySide' ? <SideBySide /> : <Viewer />}
        </main>
        <Splitter label="Width of the work pane" value={right} min={340} max={720} sign={-1} onChange={(width) => setWidths({ right: width })} />
        <WorkPane tab={tab} />
      </div>
      <EngineStrip />
      <DropZone />
    </div>
  );
}
