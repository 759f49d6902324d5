import type { Recording } from './comparison.ts';
import type { Chapter } from './conversation.ts';
import { Player, type StepResponse } from './player.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/**
 * Chapters that mostly wait, and that change nothing outside their own namespaces. Each is played at the same time as the others.
 */
const waiting: ReadonlySet<string> = new Set([
  'admission-policies',
  'bounds',
  'deletion',
  'namespaces',
]);

/** Chapters that list objects of all chapters. They are played after all others. */
const listing: ReadonlySet<string> = new Set(['sharded-lists', 'tables']);

/** Plays chapters on one server and returns the responses. */
export async function record(
  server: ServerUnderTest,
  chapters: readonly Chapter[],
  onProgress: (line: string) => void = () => undefined,
): Promise<Recording> {
  const player = new Player(server);
  const recorded = new Map<string, readonly StepResponse[]>();
  const play = async (lane: readonly Chapter[]): Promise<void> => {
    for (const chapter of lane) {
      recorded.set(chapter.name, await player.play(chapter));
      onProgress(`${server.name}: [${recorded.size}/${chapters.length}] ${chapter.name}`);
    }
  };
  const { beside, main, last } = lanesOf(chapters);
  try {
    await Promise.all([play(main), ...beside.map((chapter) => play([chapter]))]);
    await play(last);
  } finally {
    await player.close();
  }
  return Object.fromEntries(chapters.map(({ name }) => [name, recorded.get(name) ?? []]));
}

/** Chapters by the time at which they are played. */
export interface Lanes {
  /** Each at the same time as everything else. */
  readonly beside: readonly Chapter[];
  /** One after the other. */
  readonly main: readonly Chapter[];
  /** One after the other, when all others have ended. */
  readonly last: readonly Chapter[];
}

/** Divides chapters by the time at which they are played. */
export function lanesOf(chapters: readonly Chapter[]): Lanes {
  return {
    beside: chapters.filter(({ name }) => waiting.has(name)),
    main: chapters.filter(({ name }) => !waiting.has(name) && !listing.has(name)),
    last: chapters.filter(({ name }) => listing.has(name)),
  };
}
