import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readProject, type Project } from '../../project/project.ts';
import { SourceWatcher, type SourceListener } from './source-watcher.ts';

/** A listener whose next change can be awaited. */
class Changes implements SourceListener {
  #next = Promise.withResolvers<number>();

  changed(at: number): void {
    this.#next.resolve(at);
  }

  failed(error: Error): void {
    this.#next.reject(error);
  }

  /** Resolves at the first change after `cause` began. */
  async after(cause: () => Promise<unknown>): Promise<void> {
    this.#next = Promise.withResolvers();
    await cause();
    expect(await this.#next.promise).toEqual(expect.any(Number));
  }
}

describe('SourceWatcher', () => {
  let folder: string;
  let watcher: SourceWatcher;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-watch-'));
    await mkdir(join(folder, 'src'));
    await write('src/main.ts', '1');
  });

  afterEach(async () => {
    await watcher[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  async function write(path: string, text: string): Promise<void> {
    await writeFile(join(folder, path), text);
  }

  async function projectWith(keelson: object): Promise<Project> {
    await write('package.json', JSON.stringify({ name: 'operator', keelson }));
    return readProject(folder);
  }

  test('notices changed, new, renamed and deleted files, also in new folders', async () => {
    const changes = new Changes();
    watcher = await SourceWatcher.start(await projectWith({}), changes);
    await changes.after(() => write('src/main.ts', '2'));
    await changes.after(() => write('src/other.ts', '1'));
    await changes.after(() => mkdir(join(folder, 'src/parts')));
    await changes.after(() => write('src/parts/a.ts', '1'));
    // An editor that saves by replacing the file.
    await write('.main.ts.new', '3');
    await changes.after(() => rename(join(folder, '.main.ts.new'), join(folder, 'src/main.ts')));
    await changes.after(() => write('src/main.ts', '4'));
    await changes.after(() => rm(join(folder, 'src/other.ts')));
    await changes.after(() => write('package.json', '{}'));
  });

  test('notices the creation of the folder of CRD files', async () => {
    const changes = new Changes();
    watcher = await SourceWatcher.start(await projectWith({}), changes);
    await changes.after(() => mkdir(join(folder, 'config/crd'), { recursive: true }));
    await changes.after(() => write('config/crd/a.yaml', ''));
  });

  test('watches the folders of new kind modules after follow', async () => {
    const changes = new Changes();
    watcher = await SourceWatcher.start(await projectWith({}), changes);
    await mkdir(join(folder, 'api'));
    const project = await projectWith({ kinds: ['api/website.ts'] });
    await changes.after(async () => watcher.follow(project));
    await changes.after(() => write('api/website.ts', '1'));
  });
});
