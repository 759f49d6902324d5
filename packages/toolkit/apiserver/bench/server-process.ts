import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Memory of a process in bytes, with the names of `process.memoryUsage()`. */
export interface Memory {
  readonly rss: number;
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
  /** Processor time since the start in microseconds. */
  readonly cpu: number;
}

/** Preloaded into the server process. Responds to a message with the memory; `true` requests a garbage collection first. */
const reporter = `
  process.on('message', (collect) => {
    if (collect) globalThis.gc();
    const { user, system } = process.cpuUsage();
    process.send({ ...process.memoryUsage(), cpu: user + system });
  });
  process.once('disconnect', () => process.exit());
`;

/** The stand-alone server, as \`npx keelson-apiserver\` starts it. */
export class ServerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly port: number;
  /** The token of an administrator. */
  readonly token: string;

  private constructor(child: ChildProcess, port: number, token: string) {
    this.#child = child;
    this.port = port;
    this.token = token;
  }

  static async start(flags: readonly string[]): Promise<ServerProcess> {
    const program = fileURLToPath(new URL('../bin/keelson-apiserver.js', import.meta.url));
    const preload = `data:text/javascript,${encodeURIComponent(reporter)}`;
    const token = randomUUID();
    const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
    const tokens = join(folder, 'tokens.csv');
    await writeFile(tokens, `${token},bench,,"system:masters"\n`, { mode: 0o600 });
    const options = ['--expose-gc', '--import', preload];
    const words = [...flags, ...options, program, '--token-auth-file', tokens];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const { stdout } = child;
    if (stdout === null) throw new Error('the server has no output');
    const [line] = (await once(createInterface(stdout), 'line')) as [string];
    await rm(folder, { recursive: true });
    const { port } = new URL(line.slice('listening on '.length));
    return new ServerProcess(child, Number(port), token);
  }

  async memory({ collect }: { readonly collect: boolean }): Promise<Memory> {
    const message = once(this.#child, 'message');
    this.#child.send(collect);
    const [memory] = (await message) as [Memory];
    return memory;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const end = once(this.#child, 'exit');
    this.#child.disconnect();
    await end;
  }
}
