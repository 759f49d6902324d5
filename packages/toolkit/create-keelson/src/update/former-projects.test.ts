import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createProject } from '../project/create-project.ts';
import { isOwned, RECORD_FILE, type TemplateRecord } from '../project/record.ts';
import { TemporaryFolder } from '../testing/temporary-folder.test-support.ts';
import { updateProject } from './update-project.ts';

/** The projects of two former templates, as `create-keelson` wrote them then: the paths of their files with the texts. */
const former = ['first', 'second'] as const;

type Texts = Readonly<Record<string, string>>;

let temporary: TemporaryFolder;
let folder: string;
/** The same project as the present template has it. */
let present: string;

beforeEach(async () => {
  temporary = await TemporaryFolder.create();
  folder = join(temporary.path, 'former');
  present = join(temporary.path, 'present');
});

afterEach(() => temporary[Symbol.asyncDispose]());

async function writeFormer(name: (typeof former)[number]): Promise<Texts> {
  const file = new URL(`../testing/former-projects/${name}.test-data.json`, import.meta.url);
  const texts = JSON.parse(await readFile(file, 'utf8')) as Texts;
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const { choices } = JSON.parse(texts[RECORD_FILE] ?? '') as TemplateRecord;
  await createProject(choices, present);
  return texts;
}

const read = (path: string, at = folder): Promise<string> => readFile(join(at, path), 'utf8');

describe.each(former)('the project of the %s template', (name) => {
  test('has the files of the present template after an update, and a second one changes nothing', async () => {
    const texts = await writeFormer(name);
    const { written, removed, diffs } = await updateProject(folder);
    expect([removed, diffs]).toEqual([[], []]);
    expect(written).toEqual(expect.arrayContaining(['package.json', 'src/main.ts', RECORD_FILE]));
    for (const path of Object.keys(texts).filter(isOwned)) {
      expect(await read(path)).toBe(await read(path, present));
    }
    expect(await read(RECORD_FILE)).toBe(await read(RECORD_FILE, present));
    expect(await updateProject(folder)).toMatchObject({ written: [], removed: [], diffs: [] });
  });

  test('keeps the code and the configuration, and has the present versions of Keelson', async () => {
    const texts = await writeFormer(name);
    await updateProject(folder);
    const own = Object.keys(texts).filter((path) => !isOwned(path) && path !== RECORD_FILE);
    for (const path of own.filter((one) => one !== 'package.json')) {
      expect(await read(path)).toBe(texts[path]);
    }
    const versionsOf = (text: string): Texts => {
      const { dependencies, devDependencies } = JSON.parse(text) as Record<string, Texts>;
      const all = Object.entries({ ...dependencies, ...devDependencies });
      return Object.fromEntries(all.filter(([one]) => one.startsWith('@keelson/')));
    };
    expect(versionsOf(await read('package.json'))).toEqual(
      versionsOf(await read('package.json', present)),
    );
  });

  test('leaves a file that the user has changed too, and shows the difference', async () => {
    const texts = await writeFormer(name);
    const mine = `${texts['src/main.ts']}// mine\n`;
    await writeFile(join(folder, 'src/main.ts'), mine);
    const { diffs } = await updateProject(folder);
    expect(await read('src/main.ts')).toBe(mine);
    expect(diffs).toHaveLength(1);
    expect(diffs[0]).toContain('-// mine');
  });
});
