// What the window knows, a slice per feature, and how it is at the start.
//
// Owns: the shape of the state. Leaves every change to the actions beside it: `<slice>.ts` for each slice, events.ts for what the workspace tells.
// Rule: plain readonly data; PDF handles, timers and workers live with those who need them, never in here.
import type { Answer } from '../../core/contract/answer.ts';
import type { Change, Comparison } from '../../core/contract/comparison.ts';
import type { Document, DocumentSummary, Span } from '../../core/contract/document.ts';
import type { Failure } from '../../core/contract/errors.ts';
import type { ModelEntry, Store } from '../../core/contract/requests.ts';
import type { Finding } from '../../core/contract/review.ts';
import type { Stats } from '../../core/contract/stats.ts';
import type { Summary } from '../../core/contract/summary.ts';
import type { Connection } from '../ipc.ts';

export type Job<T> = { readonly status: 'running' } | { readonly status: 'done'; readonly value: T } | { readonly status: 'failed'; readonly failure: Failure };

export type ChangeKind = Change['kind'];

export interface IntakeItem {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly phase: 'waiting' | 'parsing' | 'storing' | 'password' | 'failed';
  readonly done: number;
  readonly total: number;
  /** Its page is a picture whose text is being recognised, which takes seconds. */
  readonly recognising: boolean;
  readonly failure: Failure | null;
}

export type Tone = 'evidence' | 'finding' | 'inserted' | 'deleted' | 'moved' | 'changed' | 'value';
/** Something to be seen on a page: an evidence quote, a change, a finding. */
export interface Mark {
  readonly id: string;
  readonly spans: readonly Span[];
  readonly tone: Tone;
  /** Number of a citation, drawn in the margin. */
  readonly n?: number;
}

export interface Target {
  readonly page: number;
  /** Points from the top of the page; null for flow documents, which are found by block. */
  readonly y: number | null;
  /** What is looked at; null for a page. */
  readonly span: Span | null;
  /** Grows, so that asking for the same place twice scrolls twice. */
  readonly turn: number;
}

export interface Exchange {
  readonly id: string;
  readonly question: string;
  readonly documentIds: readonly string[];
  readonly status: 'running' | 'done' | 'failed';
  readonly phase: 'reading' | 'asking' | 'writing';
  readonly done: number;
  readonly total: number;
  /** Prose as it streams; the answer's own sentences replace it. */
  readonly written: string;
  readonly answer: Answer | null;
  readonly failure: Failure | null;
  readonly cancelling: boolean;
}

export type TabId = 'ask' | 'compare' | 'summary' | 'review';
export type Theme = 'system' | 'light' | 'dark';

export interface State {
  readonly connection: Connection;
  readonly library: {
    readonly loaded: boolean;
    readonly documents: readonly DocumentSummary[];
    readonly reading: Readonly<Record<string, { readonly done: number; readonly total: number }>>;
    readonly failure: Failure | null;
  };
  readonly intake: readonly IntakeItem[];
  readonly viewer: {
    readonly openId: string | null;
    /** File on its way into the library whose pages are shown while it is read. */
    readonly preview: number | null;
    readonly documents: Readonly<Record<string, Job<Document>>>;
    readonly marks: readonly Mark[];
    readonly activeMark: string | null;
    readonly target: Target | null;
    readonly zoom: number | 'fit';
    readonly page: number;
    readonly clauseId: string | null;
  };
  readonly ask: { readonly draft: string; readonly scope: 'all' | 'open'; readonly exchanges: readonly Exchange[] };
  readonly compare: {
    readonly beforeId: string | null;
    readonly afterId: string | null;
    readonly job: Job<Comparison> | null;
    readonly hidden: readonly ChangeKind[];
    /** Groups whose places are listed one by one. */
    readonly open: readonly string[];
    readonly selected: string | null;
  };
  readonly summaries: Readonly<Record<string, Job<Summary>>>;
  readonly findings: Readonly<Record<string, Job<readonly Finding[]>>>;
  readonly engine: { readonly stats: Stats | null; readonly models: Job<readonly ModelEntry[]> | null; readonly choosing: string | null };
  /** On disk, of what was read. */
  readonly kept: { readonly shown: Job<Store> | null; readonly clearing: boolean };
  readonly layout: {
    readonly tab: TabId;
    readonly middle: 'document' | 'sideBySide';
    readonly left: number;
    readonly right: number;
    readonly theme: Theme;
  };
}

export const INITIAL: State = {
  connection: { state: 'connecting' },
  library: { loaded: false, documents: [], reading: {}, failure: null },
  intake: [],
  viewer: { openId: null, preview: null, documents: {}, marks: [], activeMark: null, target: null, zoom: 'fit', page: 0, clauseId: null },
  ask: { draft: '', scope: 'all', exchanges: [] },
  compare: { beforeId: null, afterId: null, job: null, hidden: [], open: [], selected: null },
  summaries: {},
  findings: {},
  engine: { stats: null, models: null, choosing: null },
  kept: { shown: null, clearing: false },
  layout: { tab: 'ask', middle: 'document', left: 284, right: 440, theme: 'system' },
};
