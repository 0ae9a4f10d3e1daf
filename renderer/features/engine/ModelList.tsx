import { BookOpenText, Check, CircleOff, PenLine } from 'lucide-react';
import { ERROR_SENTENCES } from '../../../core/contract/errors.ts';
import type { ModelEntry } from '../../../core/contract/requests.ts';
import { chooseModel } from '../../store/engine.ts';
import { useStore } from '../../store/store.ts';
import { FailureNote } from '../../ui/FailureNote.tsx';
import { bytes, tokens } from '../../ui/format.ts';
import { Progress } from '../../ui/Progress.tsx';
import css from './ModelList.module.css';

function Row({ model, choosing }: { readonly model: ModelEntry; readonly choosing: string | null }) {
  const chosen = model.role === 'writer';
  const facts = [model.architecture, bytes(model.bytes), model.contextTokens > 0 ? `${tokens(model.contextTokens)} context` : '', model.license].filter(
    Boolean,
  );
  return (
    <button
      type="button"
      role="radio"
      aria-checked={chosen}
      className={css['row']}
      data-testid="model-row"
      disabled={model.failure !== null || choosing !== null || model.role === 'reader'}
      onClick={() => void chooseModel(chosen ? null : model.path)}
    >
      {model.role === 'reader' ? <BookOpenText aria-hidden="true" /> : <PenLine aria-hidden="true" />}
      <span className={css['text']}>
        <span className={css['name']}>{model.name}</span>
        <span className={css['facts']}>{model.failure ? `${ERROR_SENTENCES[model.failure.code]} ${model.failure.message}` : facts.join(' · ')}</span>
        {choosing === model.path && <Progress done={0} total={0} label={`Loading ${model.name}`} />}
      </span>
      {(chosen || model.role === 'reader') && <Check aria-hidden="true" className={css['check']} />}
    </button>
  );
}

export function ModelList() {
  const { models, choosing } = useStore((state) => state.engine);
  if (models === null || models.status === 'running') return <Progress done={0} total={0} label="Looking for models" />;
  if (models.status === 'failed')
    return <FailureNote sentence={ERROR_SENTENCES[models.failure.code]} message={models.failure.message} code={models.failure.code} />;
  const readers = models.value.filter((model) => model.role === 'reader');
  const others = models.value.filter((model) => model.role !== 'reader');
  const writing = others.some((model) => model.role === 'writer');
  return (
    <>
      <h3 className={css['head']}>Reader, points at evidence</h3>
      {readers.map((model) => (
        <Row key={model.path} model={model} choosing={choosing} />
      ))}
      <h3 className={css['head']}>Writer, phrases the answer</h3>
      <div role="radiogroup" aria-label="Writer">
        <button type="button" role="radio" aria-checked={!writing} className={css['row']} disabled={choosing !== null} onClick={() => void chooseModel(null)}>
          <CircleOff aria-hidden="true" />
          <span className={css['text']}>
            <span className={css['name']}>None</span>
            <span className={css['facts']}>Answers are the evidence itself, quoted and verified.</span>
          </span>
          {!writing && <Check aria-hidden="true" className={css['check']} />}
        </button>
        {others.map((model) => (
          <Row key={model.path} model={model} choosing={choosing} />
        ))}
      </div>
      {others.length === 0 && (
        <p className={css['hint']}>GGUF files in the Hugging Face, LM Studio and Ollama folders of this machine appear here by themselves.</p>
      )}
    </>
  );
}
