import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CommandError, type Shell } from './shell.ts';

/** Plays git, npm and a registry, and records the commands. */
export class ScriptedShell implements Shell {
  readonly commands: string[] = [];
  /** The specifiers `name@version` that the registry has. */
  readonly registry: Set<string> = new Set();
  /** Commands that match fail. */
  failing: RegExp | undefined;
  /** The output of `git status`. */
  changes = '';
  /** The commits of tags. */
  readonly tags: Map<string, string> = new Map();
  readonly #root: string;
  #commits = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async run(program: string, ...args: readonly string[]): Promise<string> {
    const command = [program, ...args].join(' ');
    this.commands.push(command);
    if (this.failing?.test(command) === true) this.#fail(command);
    return program === 'git' ? this.#git(args) : this.#npm(command, args);
  }

  /** The commands that begin with some words, without the folders in their paths. */
  commandsOf(words: string): string[] {
    const found = this.commands.filter((command) => command.startsWith(words));
    return found.map((command) => command.replaceAll(/\S*\/(?=[^/ ]+\.tgz)/g, ''));
  }

  #git([verb = '', ...rest]: readonly string[]): string {
    const last = rest.at(-1) ?? '';
    if (verb === 'status') return this.changes;
    if (verb === 'rev-parse') return `commit-${this.#commits}\n`;
    if (verb === 'rev-list') return `${this.tags.get(last) ?? ''}\n`;
    if (verb === 'commit') this.#commits++;
    if (verb === 'tag' && rest[0] === '--list') return this.tags.has(last) ? `${last}\n` : '';
    if (verb === 'tag') this.tags.set(rest[1] ?? '', `commit-${this.#commits}`);
    return '';
  }

  #npm(command: string, [verb, name = '', ...rest]: readonly string[]): string {
    if (verb === 'view') {
      return this.registry.has(name)
        ? '"known"\n'
        : this.#fail(command, '{"error":{"code":"E404"}}');
    }
    if (verb === 'pack') return this.#pack(rest.filter((word) => word.startsWith('packages/')));
    if (verb === 'publish' && !rest.includes('--dry-run')) {
      const [, scope, version] = /^sample-(\w+)-(.*)\.tgz$/.exec(basename(name)) ?? [];
      this.registry.add(`@sample/${scope}@${version}`);
    }
    return '';
  }

  #pack(folders: readonly string[]): string {
    const packed = folders.map((folder) => {
      const text = readFileSync(join(this.#root, folder, 'package.json'), 'utf8');
      const { name, version } = JSON.parse(text) as { name: string; version: string };
      const filename = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
      return { name, version, filename, entryCount: 7, size: 12_345 };
    });
    return JSON.stringify(packed);
  }

  #fail(command: string, stdout = ''): never {
    throw new CommandError(command, { stdout, stderr: '' });
  }
}
