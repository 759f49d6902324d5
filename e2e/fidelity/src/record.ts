import type { Recording } from './comparison.ts';
import type { Chapter } from './conversation.ts';
import { Player, type Answer } from './player.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/** Plays a conversation with one server, chapter after chapter. */
export async function record(
  server: ServerUnderTest,
  chapters: readonly Chapter[],
  onProgress: (line: string) => void = () => undefined,
): Promise<Recording> {
  const player = new Player(server);
  const recording: Record<string, readonly Answer[]> = {};
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
