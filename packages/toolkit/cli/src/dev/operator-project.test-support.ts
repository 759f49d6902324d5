import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createClient, type Client, type Cluster } from '@keelson/client';

const program = fileURLToPath(new URL('../program/bin.ts', import.meta.url));
const packages = fileURLToPath(new URL('../../../../../node_modules/@keelson', import.meta.url));

/** The module of the kind `Website`, with further properties of its spec. */
export function kindModule(properties: Readonly<Record<string, object>> = {}): string {
  const all = { host: { type: 'string' }, ...properties };
  return `import { defineKind } from '@keelson/schema';

export const website = defineKind({
  group: 'shop.example',
  version: 'v1',
  kind: 'Website',
  plural: 'websites',
  spec: { type: 'object', properties: ${JSON.stringify(all)} },
});
`;
}

/** A program that prints `word`, namespace and name for each reconciled Website. */
export function mainModule(word: string): string {
  return `import { createManager } from '@keelson/manager';
import { website } from "./website.ts";

const manager = createManager({ leaderElection: { lease: 'website-operator' } });
manager.addController({
  name: 'website',
  for: website.resource,
  async reconcile({ namespace, name }) {
    console.log(\`${word} \${namespace}/\${name}\`);
  },
});
await manager.start();
`;
}

/** A project of an operator in a folder for temporary files. */
export class OperatorProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The files replace those of an operator that prints the Websites that it reconciles. */
  static async create(files: Readonly<Record<string, string>> = {}): Promise<OperatorProject> {
    const project = new OperatorProject(await mkdtemp(join(tmpdir(), 'keelson-operator-')));
    await mkdir(join(project.folder, 'node_modules'));
    await mkdir(join(project.folder, 'src'));
    await symlink(packages, join(project.folder, 'node_modules/@keelson'));
    const keelson = { kinds: ['src/website.ts'] };
    const manifest = { name: 'website-operator', type: 'module', keelson };
    await project.write('package.json', JSON.stringify(manifest));
    await project.write('src/website.ts', kindModule());
    await project.write('src/main.ts', mainModule('first'));
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
    return project;
  }

  async write(path: string, text: string): Promise<void> {
    await writeFile(join(this.folder, path), text);
  }

  async writeFolder(path: string, files: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(join(this.folder, path), { recursive: true });
    for (const [name, text] of Object.entries(files)) await this.write(join(path, name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** A process of `keelson dev`, whose output a test follows line by line. */
export class DevProcess {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #lines: string[] = [];
  readonly #closed: Promise<unknown[]>;
  /** The lines before it were returned or skipped. */
  #cursor = 0;
  #isClosed = false;
  #client: Client | undefined;
  #changed = Promise.withResolvers<void>();

  constructor({ folder }: OperatorProject, ...words: readonly string[]) {
    const all = ['--conditions=@keelson/source', program, 'dev', '--project', folder, ...words];
    this.#child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface(stream).on('line', (line) => {
        this.#lines.push(line);
        this.#notify();
      });
    }
    this.#closed = once(this.#child, 'close');
    this.#child.once('close', () => {
      this.#isClosed = true;
      this.#notify();
    });
  }

  /** Resolves with the next line that matches; rejects if the output ends before. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.#lines.findIndex(
        (line, index) => index >= this.#cursor && pattern.test(line),
      );
      if (found !== -1) {
        this.#cursor = found + 1;
        return this.#lines[found] ?? '';
      }
      if (this.#isClosed) throw new Error(`no line ${pattern}:\n${this.#lines.join('\n')}`);
      await this.#changed.promise;
    }
  }

  /** Returns a client with the kubeconfig that the command printed, and the path of the file. */
  async connect(): Promise<{ readonly client: Client; readonly kubeconfig: string }> {
    const kubeconfig = (await this.line(/^kubeconfig /)).replace(/^kubeconfig +/, '');
    const { clusters, users } = JSON.parse(await readFile(kubeconfig, 'utf8')) as {
      readonly clusters: readonly {
        readonly cluster: {
          readonly server: string;
          readonly 'certificate-authority-data'?: string;
        };
      }[];
      readonly users: readonly { readonly user: Pick<Cluster, 'token'> }[];
    };
    const { server = '', 'certificate-authority-data': authority } = clusters[0]?.cluster ?? {};
    const tls = authority === undefined ? {} : { tls: { ca: Buffer.from(authority, 'base64') } };
    this.#client = createClient({ cluster: { server, ...tls, ...users[0]?.user } });
    return { client: this.#client, kubeconfig };
  }

  /** Sends a signal, and resolves with the exit code or the signal when the output of all processes has ended. */
  async end(signal: NodeJS.Signals): Promise<unknown> {
    this.#child.kill(signal);
    const [code, killedBy] = await this.#closed;
    return code ?? killedBy;
  }

  /** Closes the client, and kills the process if the test failed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client?.[Symbol.asyncDispose]();
    if (!this.#isClosed) await this.end('SIGKILL');
  }

  #notify(): void {
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
  }
}
