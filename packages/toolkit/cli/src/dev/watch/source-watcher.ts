import { once } from 'node:events';
import { watch, type FSWatcher } from 'chokidar';
import type { Project } from '../../project/project.ts';
import { Debounce } from './debounce.ts';
import { isWatched, watchedPaths } from './watched-paths.ts';

/** The receiver of the events of a `SourceWatcher`. */
export interface SourceListener {
  /** Called once for changes in quick succession, with the time of the first one by `performance.now`. */
  changed(at: number): void;
  /** Called with an error of the operating system, such as a limit of watches. */
  failed(error: Error): void;
}

/**
 * Watches the sources of a project. The recursive watch of Node.js itself also walks `node_modules`, and has no option to
 * ignore a folder before Node.js 24.
 */
export class SourceWatcher implements AsyncDisposable {
  readonly #watcher: FSWatcher;
  readonly #debounce: Debounce;
  #paths: readonly string[];

  private constructor(project: Project, listener: SourceListener) {
    this.#paths = watchedPaths(project);
    this.#debounce = new Debounce((at) => listener.changed(at));
    const { folder } = project;
    // The folder of the project exists; chokidar is not ready in time if one of several paths is missing.
    this.#watcher = watch(folder, {
      ignored: (path) => !isWatched(folder, this.#paths, path),
      ignoreInitial: true,
    });
    this.#watcher.on('all', () => this.#debounce.call());
    this.#watcher.on('error', (error) => {
      listener.failed(error instanceof Error ? error : new Error(String(error)));
    });
  }

  /** Resolves when every later change is noticed. */
  static async start(project: Project, listener: SourceListener): Promise<SourceWatcher> {
    const watcher = new SourceWatcher(project, listener);
    await once(watcher.#watcher, 'ready');
    return watcher;
  }

  /** Watches the paths of the project after its `package.json` changed. */
  follow(project: Project): void {
    const before = this.#paths;
    this.#paths = watchedPaths(project);
    this.#watcher.add(this.#paths.filter((path) => !before.includes(path)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#debounce[Symbol.dispose]();
    await this.#watcher.close();
  }
}
