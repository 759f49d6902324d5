import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { JobContender } from '../cases/bench-case.ts';
import type { CaseServer } from '../servers/case-server.ts';
import { complaintOf, TIME_LIMIT_MS } from './complaint.ts';
import type {
  Address,
  Command,
  Metrics,
  ProcessServerOptions,
  Reply,
} from '../servers/protocol.ts';

/** The extension of the programs: that of this module, in the sources or in the build. */
const EXTENSION = import.meta.url.slice(import.meta.url.lastIndexOf('.'));

/** A fake or embedded server in a process of its own. */
export class ServerProcess implements CaseServer, AsyncDisposable {
  readonly address: Address;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  static async start(options: ProcessServerOptions): Promise<ServerProcess> {
    const program = `../servers/${programOf(options)}${EXTENSION}`;
    const child = fork(new URL(program, import.meta.url), [JSON.stringify(options)]);
    const [message] = (await once(child, 'message')) as [{ listening: Address }];
    return new ServerProcess(child, message.listening);
  }

  private constructor(child: ChildProcess, address: Address) {
    this.#child = child;
    this.address = address;
    child.on('message', ({ id, reply }: { id: number; reply: Reply }) => {
      this.#waiting.get(id)?.(reply);
      this.#waiting.delete(id);
    });
  }

  ask(command: Command): Promise<Reply> {
    const id = ++this.#lastId;
    this.#child.send({ id, command });
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}

function programOf(options: ProcessServerOptions): string {
  if ('embedded' in options) return 'embedded-server';
  return 'things' in options ? 'thing-server' : 'fake-server';
}

/** Runs a contender's job in a new process and forwards its requests to the server. */
export async function runJob(
  contender: JobContender,
  server: CaseServer | undefined,
): Promise<Metrics> {
  const assignment = {
    job: contender.job,
    options: contender.options,
    ...(server === undefined ? {} : { server: server.address }),
  };
  const child = fork(
    new URL(`job-process${EXTENSION}`, import.meta.url),
    [JSON.stringify(assignment)],
    {
      execArgv: [...process.execArgv, '--expose-gc', ...(contender.flags ?? [])],
      timeout: TIME_LIMIT_MS,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  const complaint = complaintOf(child);
  let metrics: Metrics | undefined;
  child.on('message', (message: { metrics?: Metrics; id?: number; command?: Command }) => {
    if (message.metrics !== undefined) metrics = message.metrics;
    if (message.command === undefined || server === undefined) return;
    void server.ask(message.command).then((reply) => child.send({ id: message.id, reply }));
  });
  await once(child, 'exit');
  if (metrics !== undefined) return metrics;
  throw new Error(`${contender.job} measured nothing: ${complaint()}`);
}
