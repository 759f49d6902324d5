import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KubernetesObject } from '@keelson/apimachinery';
import { CliError } from '../errors.ts';
import { boundedText } from '../output/bounded-text.ts';
import { makeFolder } from '../output/make-folder.ts';
import { replaceFile } from '../output/replace-file.ts';

/** One document of a YAML file as text, with the line that separates it from the previous one. */
interface Section {
  readonly separator: string;
  readonly text: string;
  /** The Role or ClusterRole of the document; undefined for other kinds. */
  readonly role: KubernetesObject | undefined;
}

/** A YAML file with Roles and ClusterRoles. Documents that do not change keep their text, other kinds included. */
export class RoleFile {
  readonly #path: string;
  readonly #sections: readonly Section[];
  readonly #lineEnd: string;

  private constructor(path: string, text: string, sections: readonly Section[]) {
    this.#path = path;
    this.#sections = sections;
    this.#lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  }

  /** Reads the file; a missing one has no roles. Throws `ROLE_FILE_INVALID`. */
  static async read(path: string): Promise<RoleFile> {
    const text = await attempt(path, () => {
      checkEnding(path);
      return readText(path);
    });
    return RoleFile.parse(path, text);
  }

  /** Parses the text of a file. Throws `ROLE_FILE_INVALID`. */
  static async parse(path: string, text: string): Promise<RoleFile> {
    return attempt(path, async () => {
      checkEnding(path);
      const file = new RoleFile(path, text, await sectionsOf(text.replaceAll('\r\n', '\n')));
      if (file.roles.length > 0) await checkRules(file.roles);
      return file;
    });
  }

  get roles(): readonly KubernetesObject[] {
    return this.#sections.flatMap(({ role }) => role ?? []);
  }

  /** Writes the text of `textWith`. Throws `ROLE_FILE_INVALID`. */
  async write(roles: readonly KubernetesObject[]): Promise<void> {
    const text = await this.textWith(roles);
    await attempt(this.#path, async () => {
      await makeFolder(dirname(this.#path));
      await replaceFile(this.#path, text);
    });
  }

  /**
   * Replaces the roles of the file in their order, and appends further ones. Of a changed role, comments above the
   * document stay.
   */
  async textWith(roles: readonly KubernetesObject[]): Promise<string> {
    const left = [...roles];
    let text = '';
    for (const section of this.#sections) {
      const role = section.role === undefined ? undefined : left.shift();
      const isSame = role === undefined || role === section.role;
      const body = isSame ? section.text : commentsOf(section.text) + (await yamlOf(role));
      text += section.separator + withLineEnd(body);
    }
    for (const role of left) text += (text === '' ? '' : '---\n') + (await yamlOf(role));
    return text.replaceAll('\n', this.#lineEnd);
  }
}

function checkEnding(path: string): void {
  if (!/\.ya?ml$/.test(path)) throw new Error('must be a .yaml file');
}

async function readText(path: string): Promise<string> {
  try {
    // Reading a pipe or a device would wait, or never end.
    if (!(await stat(path)).isFile()) throw new Error('not a file');
    return (await boundedText(createReadStream(path))).replace(/^\uFEFF/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Throws for rules that the API server refuses. */
async function checkRules(roles: readonly KubernetesObject[]): Promise<void> {
  const { readRoles } = await import('@keelson/envtest');
  await readRoles(roles);
}

async function sectionsOf(text: string): Promise<readonly Section[]> {
  if (text === '') return [];
  const [first = '', ...others] = text.split(/^(---[ \t]*(?:#.*)?(?:\n|$))/m);
  const sections: Section[] = [];
  if (first !== '') sections.push({ separator: '', text: first, role: await roleOf(first) });
  for (let index = 0; index < others.length; index += 2) {
    const [separator = '', body = ''] = others.slice(index, index + 2);
    sections.push({ separator, text: body, role: await roleOf(body) });
  }
  return sections;
}

async function roleOf(text: string): Promise<KubernetesObject | undefined> {
  const { loadAll, Schema, timestampTag, YAML11_SCHEMA } = await import('js-yaml');
  // kubectl reads YAML 1.1; timestamps stay strings, because JSON has none.
  const schema = new Schema(YAML11_SCHEMA.tags.filter((tag) => tag !== timestampTag));
  const [document, ...others] = loadAll(text, { schema }) as (KubernetesObject | null)[];
  if (others.length > 0) throw new Error('the documents must be separated by "---"');
  const { apiVersion, kind = '' } = document ?? {};
  const isOfRbac = apiVersion?.startsWith('rbac.authorization.k8s.io/') === true;
  return isOfRbac && ['Role', 'ClusterRole'].includes(kind) ? (document ?? undefined) : undefined;
}

function commentsOf(text: string): string {
  return /^(?:[ \t]*(?:#.*)?\n)*/.exec(text)?.[0] ?? '';
}

async function yamlOf(role: KubernetesObject): Promise<string> {
  const { dump } = await import('js-yaml');
  return dump(role, { noRefs: true, lineWidth: -1 });
}

function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

async function attempt<T>(file: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    const [reason] = (cause instanceof Error ? cause.message : String(cause)).split('\n', 1);
    throw new CliError('ROLE_FILE_INVALID', { file, reason }, { cause });
  }
}
