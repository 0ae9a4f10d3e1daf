// `npm run build`: engine, window and desktop shell, whatever is out of date.
import { say, setup } from './setup.mjs';

await setup({ renderer: true, electron: true });
say('Built: build/native, dist/renderer, dist/electron.');
