import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { outputOf } from '@keelson/e2e-runtimes';
import type { GuideStep } from './guide-step.ts';

/** Simulates a reader who follows a guide exactly, in one folder. */
export class GuideReader {
  readonly #folder: string;
  readonly #versions: Readonly<Record<string, string>>;

  private constructor(folder: string, versions: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#versions = versions;
  }

  /**
   * Creates a reader with an empty folder. The reader installs the Keelson packages from a local registry, and
   * other packages in the versions of this repository.
   */
  static async create(folder: string, root: string, registry: string): Promise<GuideReader> {
    await writeFile(join(folder, '.npmrc'), `@keelson:registry=${registry}\n`);
    const versions = await Promise.all([root, join(root, 'examples/testing')].map(devDependencies));
    return new GuideReader(folder, Object.assign({}, ...versions));
  }

  /** Performs one step; rejects with the output of a command that fails. */
  async follow(step: GuideStep): Promise<void> {
    if (step.type === 'run') return this.#run(step.script);
    const path = join(this.#folder, step.file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, step.text);
  }

  async #run(script: string): Promise<void> {
    const { KUBEBUILDER_ASSETS: _assets, ...rest } = process.env;
    const quiet = {
      NPM_CONFIG_AUDIT: 'false',
      NPM_CONFIG_FUND: 'false',
      NPM_CONFIG_LOGLEVEL: 'error',
    };
    const env = { ...rest, ...quiet, NPM_CONFIG_PREFER_OFFLINE: 'true' };
    const commands = this.#withVersions(script);
    await outputOf({ cwd: this.#folder, env }, 'bash', ['-e', '-c', commands]);
  }

  #withVersions(script: string): string {
    const versioned = (name: string): string => {
      const version = this.#versions[name];
      return version === undefined ? name : `${name}@${version}`;
    };
    return script.replaceAll(/^npm install .*$/gm, (line) =>
      line.split(' ').map(versioned).join(' '),
    );
  }
}

async function devDependencies(folder: string): Promise<Readonly<Record<string, string>>> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const ours = Object.entries(manifest.devDependencies).filter(([, range]) => range !== '*');
  return Object.fromEntries(ours);
}
