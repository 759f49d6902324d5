import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './cache-folder.ts';

/** Each build reports its begin, waits until it may continue, and writes its result. */
const script = `#!/bin/sh
here=$(dirname "$0")/..
if [ "$1" = version ]; then echo "go version go$(cat "$here/version") linux/amd64"; exit 0; fi
if [ "$1 $2" = "mod download" ]; then
  printf 'replace (\\n\\tk8s.io/api => ./staging/src/k8s.io/api\\n)\\n' > "$here/go.mod"
  echo "{\\"GoMod\\": \\"$here/go.mod\\"}"; exit 0
fi
if [ "$1 $2" = "mod tidy" ]; then echo sums > go.sum; exit 0; fi
while [ "$1" != -o ]; do shift; done
echo "$3" >> "$here/builds"
printf half > "$2"
until [ -e "$here/go-on" ]; do [ -d "$here" ] || exit 1; sleep 0.02; done
if [ -e "$here/broken" ]; then echo "cannot compile" >&2; exit 1; fi
printf whole > "$2"
`;

/** A run of the builder that has ended. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The builder as a command, with a Go that compiles nothing and a cache of its own. */
export class FakeGo implements AsyncDisposable {
  readonly folder: string;

  static async create(version = '1.99.0'): Promise<FakeGo> {
    const fake = new FakeGo(await mkdtemp(join(tmpdir(), 'keelson-fake-go-')));
    await mkdir(join(fake.folder, 'bin'));
    await fake.write('version', version);
    await writeFile(join(fake.folder, 'bin', 'go'), script, { mode: 0o755 });
    return fake;
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Where the binaries belong. */
  cache(): Promise<string> {
    return cacheFolder({ KEELSON_CACHE: join(this.folder, 'cache') });
  }

  write(name: string, text = ''): Promise<void> {
    return writeFile(join(this.folder, name), text);
  }

  /** The packages whose builds began. */
  async builds(): Promise<readonly string[]> {
    const file = join(this.folder, 'builds');
    return existsSync(file) ? (await readFile(file, 'utf8')).trim().split('\n') : [];
  }

  /** Resolves when a build has begun. */
  async began(): Promise<void> {
    while ((await this.builds()).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  start(...words: string[]): ChildProcess {
    const main = fileURLToPath(new URL('main.ts', import.meta.url));
    const args = ['--conditions=@keelson/source', main, ...words];
    const PATH = `${join(this.folder, 'bin')}:/usr/bin:/bin`;
    return spawn(process.execPath, args, {
      env: { PATH, KEELSON_CACHE: join(this.folder, 'cache') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  run(...words: string[]): Promise<Run> {
    return ended(this.start(...words));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}

/** Returns the exit code and the output of a process after its end. */
export async function ended(child: ChildProcess): Promise<Run> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...texts };
}

/** Resolves when a process has printed a word on standard error; rejects if it ends before. */
export function printed(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk: Buffer | string) => {
      text += String(chunk);
      if (text.includes(word)) resolve();
    });
    child.once('close', () =>
      reject(new Error(`it ended and never printed "${word}" but: ${text}`)),
    );
  });
}
