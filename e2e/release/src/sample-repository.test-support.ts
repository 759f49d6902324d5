import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const idle = 'node --version';

/** A repository with the packages `app`, which depends on `base`, and `base`, and an example of `app`. */
export class SampleRepository implements Disposable {
  readonly root: string = mkdtempSync(join(tmpdir(), 'keelson-sample-'));

  constructor() {
    const scripts = { build: idle, 'check:packages': idle };
    this.writeJson('package.json', {
      name: 'sample',
      private: true,
      workspaces: ['packages/*', 'examples/*'],
      scripts,
    });
    const dependencies = { '@sample/base': '0.1.0', other: '0.1.0' };
    const manifests = {
      'packages/app': { name: '@sample/app', version: '0.1.0', dependencies },
      'packages/base': {
        name: '@sample/base',
        version: '0.1.0',
        devDependencies: { other: '1.0.0' },
      },
      'examples/one': {
        name: '@sample/one',
        version: '0.1.0',
        private: true,
        dependencies: { '@sample/app': '0.1.0', '@sample/base': '*' },
      },
    };
    for (const [folder, manifest] of Object.entries(manifests)) {
      mkdirSync(join(this.root, folder), { recursive: true });
      this.writeJson(`${folder}/package.json`, manifest);
    }
    const links = { 'node_modules/@sample/app': { resolved: 'packages/app', link: true } };
    this.writeJson('package-lock.json', {
      lockfileVersion: 3,
      packages: { ...manifests, ...links },
    });
    this.write(
      'CHANGELOG.md',
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n## 0.1.0\n',
    );
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  writeJson(path: string, json: object): void {
    this.write(path, `${JSON.stringify(json, null, 2)}\n`);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}
