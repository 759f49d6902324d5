import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { CertificateFolder, pairOf } from '../testing/certificates.test-support.ts';
import { eventually, recordingLogger, useFakeTime } from '../testing/fixtures.test-support.ts';
import { CertificateFiles, type CertificateFilesOptions } from './certificate-files.ts';
import type { KeyPair } from './certificate-source.ts';

let first: KeyPair;
let second: KeyPair;

beforeAll(async () => {
  [first, second] = await Promise.all([pairOf('first'), pairOf('second')]);
});

afterEach(() => {
  jest.useRealTimers();
});

interface Watched extends AsyncDisposable {
  readonly folder: CertificateFolder;
  readonly options: CertificateFilesOptions;
  readonly used: KeyPair[];
  readonly counts: { reads: number; failures: number };
  readonly lines: Record<string, unknown>[];
  readonly files: CertificateFiles;
  /** Waits for the next read. */
  readonly nextRead: () => Promise<void>;
}

/** Certificate files in a folder which `fill` has filled. */
async function watched(fill: (folder: CertificateFolder) => Promise<unknown>): Promise<Watched> {
  useFakeTime({ setImmediate: true });
  const folder = await CertificateFolder.create();
  await fill(folder);
  const counts = { reads: 0, failures: 0 };
  const { logger: log, lines } = recordingLogger();
  const observer = {
    certificateRead: () => void (counts.reads += 1),
    certificateFailed: () => void (counts.failures += 1),
  };
  const options = { server: 'metrics', log, observer };
  const files = new CertificateFiles(folder.files, options);
  const used: KeyPair[] = [];
  return {
    folder,
    options,
    used,
    counts,
    lines,
    files,
    nextRead: async () => {
      // The timer of the next read starts when the read before has ended.
      await eventually(() => jest.getTimerCount() === 1);
      await jest.advanceTimersByTimeAsync(10_000);
      await eventually(() => jest.getTimerCount() === 1);
    },
    [Symbol.asyncDispose]: async () => {
      files.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Certificate files that are in use, first with the first pair. */
async function inUse(): Promise<Watched> {
  const all = await watched((folder) => folder.write(first));
  await all.files.start((pair) => all.used.push(pair));
  return all;
}

const nothing = (): void => undefined;

describe('certificate files', () => {
  test.each(['cert', 'key'] as const)(
    'CW01 reject if the file of the %s is missing',
    async (name) => {
      await using all = await watched((folder) => folder.write(first));
      await rm(all.folder.files[name]);
      await expect(all.files.start(nothing)).rejects.toMatchObject({
        code: 'INVALID_CERTIFICATE',
        facts: { server: 'metrics', file: all.folder.files[name], reason: 'ENOENT' },
      });
      expect(all.counts).toEqual({ reads: 1, failures: 1 });
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  test.each([
    ['an empty certificate', { cert: '' }, 'cert'],
    ['an empty key', { key: '' }, 'key'],
    ['a certificate that is no PEM', { cert: 'x' }, 'cert'],
  ] as const)('CW01 reject %s with the name of its file', async (_name, wrong, file) => {
    await using all = await watched((folder) => folder.write({ ...first, ...wrong }));
    await expect(all.files.start(nothing)).rejects.toMatchObject({
      code: 'INVALID_CERTIFICATE',
      facts: { file: all.folder.files[file], reason: 'the PEM is invalid' },
    });
  });

  test('CW01 reject a key that does not belong to the certificate, without its text', async () => {
    await using all = await watched((folder) => folder.write({ ...first, key: second.key }));
    const error: unknown = await all.files.start(nothing).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      facts: { reason: 'the key does not belong to the certificate' },
    });
    const [, secret = ''] = second.key.split('\n');
    expect(JSON.stringify(error) + String(error)).not.toContain(secret);
  });

  test('CW01 reload the pair after a change of the files', async () => {
    await using all = await inUse();
    expect(all.used).toEqual([first]);
    await all.folder.write(second);
    await all.nextRead();
    expect(all.used).toEqual([first, second]);
    expect(all.lines).toMatchObject([{ server: 'metrics', message: 'certificate reloaded' }]);
  });

  test('CW01 reload the pair after a rename over the files', async () => {
    await using all = await inUse();
    await all.folder.rename(second);
    await all.nextRead();
    expect(all.used).toEqual([first, second]);
  });

  test('CW01 reload the pair after the kubelet replaced the symlink of a mounted Secret', async () => {
    const version = async (path: string, name: string, pair: KeyPair): Promise<void> => {
      await mkdir(join(path, name));
      await writeFile(join(path, name, 'tls.crt'), pair.cert);
      await writeFile(join(path, name, 'tls.key'), pair.key);
    };
    await using all = await watched(async ({ path, files }) => {
      await version(path, '..1', first);
      await symlink('..1', join(path, '..data'));
      await symlink(join('..data', 'tls.crt'), files.cert);
      await symlink(join('..data', 'tls.key'), files.key);
    });
    await all.files.start((pair) => all.used.push(pair));
    const { path } = all.folder;
    await version(path, '..2', second);
    await symlink('..2', join(path, '..data_tmp'));
    await rename(join(path, '..data_tmp'), join(path, '..data'));
    await rm(join(path, '..1'), { recursive: true });
    await all.nextRead();
    expect(all.used).toEqual([first, second]);
  });

  test('CW01 keep the old pair on a read error, log the error once, and reload later', async () => {
    await using all = await inUse();
    await rm(all.folder.files.cert);
    await all.nextRead();
    await all.nextRead();
    expect(all.used).toEqual([first]);
    expect(all.counts).toEqual({ reads: 3, failures: 2 });
    expect(all.lines).toMatchObject([
      { level: 'error', server: 'metrics', message: 'certificate not reloaded' },
    ]);
    await all.folder.write(second);
    await all.nextRead();
    expect(all.used).toEqual([first, second]);
  });

  test('CW01 keep the old pair while the files do not match', async () => {
    await using all = await inUse();
    await all.folder.write({ ...second, key: first.key });
    await all.nextRead();
    expect(all.used).toEqual([first]);
    await all.folder.write(second);
    await all.nextRead();
    expect(all.used).toEqual([first, second]);
  });

  test('CW01 reject an empty file of client authorities, and reload a changed one', async () => {
    await using all = await watched((folder) => folder.write(first));
    const clientCa = await all.folder.writeAuthority({ cert: '', key: '' });
    const files = new CertificateFiles({ ...all.folder.files, clientCa }, all.options);
    await expect(files.start(nothing)).rejects.toMatchObject({ facts: { file: clientCa } });
    await all.folder.writeAuthority(first);
    await files.start((pair) => all.used.push(pair));
    await all.folder.writeAuthority(second);
    await all.nextRead();
    expect(all.used.map(({ ca }) => ca)).toEqual([first.cert, second.cert]);
    files.stop();
  });

  test('are read again without effect while they do not change', async () => {
    await using all = await inUse();
    await all.nextRead();
    expect(all.counts).toEqual({ reads: 2, failures: 0 });
    expect(all.used).toEqual([first]);
  });

  test('are not read after stop', async () => {
    await using all = await inUse();
    all.files.stop();
    expect(jest.getTimerCount()).toBe(0);
    expect(all.counts.reads).toBe(1);
  });
});
