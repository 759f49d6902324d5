import { Session, type Profiler } from 'node:inspector/promises';

/** The functions of the runtime that ran in one journey: how often each was called, by file. */
export type CallCount = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The size of a journey. */
export interface JourneySize {
  readonly functions: number;
  readonly calls: number;
  readonly files: number;
}

/** The sources of the runtime, without the server and the tools. */
const runtimeFile = /\/packages\/runtime\/([^?]+)$/;

/** Counts calls with the precise coverage of V8, which counts each call of each function. */
export class CallCounter {
  readonly #session = new Session();

  /** Runs an action and returns the calls that happened during it. */
  async count(act: () => Promise<void>): Promise<CallCount> {
    const session = this.#session;
    session.connect();
    try {
      await session.post('Profiler.enable');
      await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      await session.post('Profiler.takePreciseCoverage');
      await act();
      const { result } = await session.post('Profiler.takePreciseCoverage');
      return callCountOf(result);
    } finally {
      session.disconnect();
    }
  }
}

/** Returns the calls of functions of the runtime. */
export function callCountOf(scripts: readonly Profiler.ScriptCoverage[]): CallCount {
  const files = new Map<string, Map<string, number>>();
  for (const { url, functions } of scripts) {
    const file = runtimeFile.exec(url)?.[1];
    if (file === undefined) continue;
    for (const { functionName, ranges } of functions) {
      const [whole] = ranges;
      if (whole === undefined || whole.count === 0) continue;
      const names = files.get(file) ?? new Map<string, number>();
      files.set(
        file,
        names.set(`${functionName || '(anonymous)'}@${whole.startOffset}`, whole.count),
      );
    }
  }
  return files;
}

/** Returns the calls that happen in each of several counts: a timer that expired during one of them is left out. */
export function commonCalls(counts: readonly CallCount[]): CallCount {
  const [first = new Map(), ...others] = counts;
  const files = new Map<string, Map<string, number>>();
  for (const [file, functions] of first) {
    const names = new Map<string, number>();
    for (const [name, calls] of functions) {
      const fewest = Math.min(calls, ...others.map((other) => other.get(file)?.get(name) ?? 0));
      if (fewest > 0) names.set(name, fewest);
    }
    if (names.size > 0) files.set(file, names);
  }
  return files;
}

export function sizeOf(count: CallCount): JourneySize {
  const functions = [...count.values()].flatMap((names) => [...names.values()]);
  const calls = functions.reduce((sum, times) => sum + times, 0);
  return { functions: functions.length, calls, files: count.size };
}

/** Returns the numbers of a journey that are larger than the recorded ones. */
export function growth(recorded: JourneySize | undefined, size: JourneySize): string[] {
  if (recorded === undefined) return ['the journey has no recorded numbers'];
  return (['functions', 'calls', 'files'] as const)
    .filter((key) => size[key] > recorded[key])
    .map((key) => `${key}: ${size[key]} instead of ${recorded[key]}`);
}

/** Returns one line for each file, with its functions and the number of their calls. */
export function linesOf(count: CallCount): string[] {
  return [...count]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, names]) => `  ${file}: ${[...names].map((entry) => callText(entry)).join(' ')}`);
}

function callText([name, calls]: readonly [string, number]): string {
  const text = name.replace(/@\d+$/, '');
  return calls === 1 ? text : `${text}×${calls}`;
}
