import type { Recording } from './comparison.ts';
import type { Chapter } from './conversation.ts';
import { Player, type StepResponse } from './player.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/** Plays chapters on one server, one after the other, and returns the responses. */
export async function record(
  server: ServerUnderTest,
  chapters: readonly Chapter[],
  onProgress: (line: string) => void = () => undefined,
): Promise<Recording> {
  const player = new Player(server);
  const recording: Record<string, readonly StepResponse[]> = {};
  try {
    for (const [index, chapter] of chapters.entries()) {
      onProgress(`${server.name}: [${index + 1}/${chapters.length}] ${chapter.name}`);
      recording[chapter.name] = await player.play(chapter);
    }
  } finally {
    await player.close();
  }
  return recording;
}
