// One port served: hello both ways, requests checked against their schema, results and failures as data, events pushed.
//
// Owns: the border. Everything that comes over a port is unknown until its schema has accepted it.
// Rule: a request gets exactly one response; a peer of another contract version is told so and closed.
import { CodicilError, toFailure } from '../../core/contract/errors.ts';
import { HelloSchema, RequestMessageSchema, type Port } from '../../core/contract/port.ts';
import { ROUTES, type Handlers, type Route } from '../../core/contract/requests.ts';
import { CONTRACT_VERSION } from '../../core/contract/version.ts';
import type { Workspace } from './workspace.ts';

const BUILD = process.env['CODICIL_BUILD'] ?? 'source';

export function servePort(port: Port, workspace: Pick<Workspace, 'handlers' | 'subscribe'>): void {
  let open = true;
  const unsubscribe = workspace.subscribe((event) => port.send({ type: 'event', event }));
  port.onClose(() => {
    open = false;
    unsubscribe();
  });
  port.onMessage((message) => {
    const hello = HelloSchema.safeParse(message);
    if (hello.success) {
      if (hello.data.contract !== CONTRACT_VERSION) port.close();
      return;
    }
    const request = RequestMessageSchema.safeParse(message);
    if (!request.success) return port.close();
    const { id, route, body } = request.data;
    void respond(id, route, body);
  });
  async function respond(id: number, route: string, body: unknown): Promise<void> {
    const result = await handleRequest(workspace.handlers, route, body);
    if (open) port.send({ type: 'response', id, result });
  }
  port.send({ type: 'hello', contract: CONTRACT_VERSION, build: BUILD });
}

type Result = { ok: true; value: unknown } | { ok: false; failure: ReturnType<typeof toFailure> };

/** Never rejects: whatever goes wrong is a failure with a code. */
export async function handleRequest(handlers: Handlers, route: string, body: unknown): Promise<Result> {
  try {
    if (!Object.hasOwn(ROUTES, route))
      throw new CodicilError('invalid_request', `A route of the contract was expected, "${route.slice(0, 40)}" was found. Use a window of the same version.`);
    const parsed = ROUTES[route as Route].request.safeParse(body);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new CodicilError(
        'invalid_request',
        `The body of ${route} was expected to fit its schema; at "${issue?.path.join('.')}": ${issue?.message}. Use a window of the same version.`,
      );
    }
    const handler = handlers[route as Route] as (request: unknown) => Promise<unknown>;
    return { ok: true, value: await handler(parsed.data) };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}
