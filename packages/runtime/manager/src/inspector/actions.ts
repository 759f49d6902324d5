import { invalidOption } from '@keelson/apimachinery';

/** The methods of a controller that actions call. A request is given by its key. */
export interface SteeredController {
  /** The level of its log lines; to assign it throws `INVALID_OPTION` for an unknown level. */
  logLevel: string | undefined;
  /** Queues a request, which runs at once, even in a backoff. Throws `INVALID_OPTION` if the key does not name one. */
  run(key: string): void;
  pause(key: string | undefined): void;
  resume(key: string | undefined): void;
  /** Resolves when the change is in force. */
  limit(concurrency: number): Promise<unknown>;
}

/** An action that was carried out. */
export interface ActionReport {
  readonly controller: string;
  readonly request: string | undefined;
  /** In CamelCase, as the reason of an Event. */
  readonly action: ActionName;
  readonly value: string | undefined;
}

export interface ActionHost {
  /** Throws `UNKNOWN_CONTROLLER`. */
  steered(controller: string): SteeredController;
  /** Logs the action, and records an Event about it. */
  report(report: ActionReport): Promise<void>;
}

type ActionName = 'Run' | 'Pause' | 'Resume' | 'SetConcurrency' | 'SetLogLevel';

interface ActionFacts {
  readonly controller: SteeredController;
  readonly request: string | undefined;
  readonly value: string | undefined;
}

/** Carries out an action. Throws `INVALID_OPTION` for invalid values. */
type Act = (facts: ActionFacts) => unknown;

const actions: Readonly<Record<ActionName, Act>> = {
  Run: ({ controller, request }) => controller.run(required(request, 'request')),
  Pause: ({ controller, request }) => controller.pause(request),
  Resume: ({ controller, request }) => controller.resume(request),
  SetConcurrency: ({ controller, value }) => controller.limit(Number(required(value, 'value'))),
  SetLogLevel: ({ controller, value }) => {
    controller.logLevel = required(value, 'value');
  },
};

/** The actions of the page: `?do=Pause&controller=NAME`, with `&request=KEY` and `&value=VALUE`. */
export class Actions {
  readonly #host: ActionHost;

  constructor(host: ActionHost) {
    this.#host = host;
  }

  /** Returns the name of the action. Throws `UNKNOWN_CONTROLLER` and `INVALID_OPTION`. */
  async act(query: URLSearchParams): Promise<ActionName> {
    const action = query.get('do') ?? '';
    if (!isAction(action))
      throw invalidOption('do', `must be one of ${Object.keys(actions).join(' ')}`);
    const name = query.get('controller') ?? '';
    const request = query.get('request') ?? undefined;
    const value = query.get('value') ?? undefined;
    // An empty key names no request, and without a key the action concerns the controller.
    if (request === '') throw invalidOption('request', 'must not be empty');
    const controller = this.#host.steered(name);
    await actions[action]({ controller, request, value });
    // Awaited, so that a stop of the server waits for the Event too.
    await this.#host.report({ controller: name, request, action, value });
    return action;
  }
}

function isAction(text: string): text is ActionName {
  return Object.hasOwn(actions, text);
}

function required(text: string | undefined, name: string): string {
  if (text === undefined || text === '') throw invalidOption(name, 'must be given');
  return text;
}
