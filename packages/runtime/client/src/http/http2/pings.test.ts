import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startPings } from './pings.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** A peer that acknowledges each PING until it is lost. */
class Peer {
  bytesRead = 0;
  pings = 0;
  isLost = false;

  ping(): void {
    this.pings++;
    if (!this.isLost) this.bytesRead += 17;
  }
}

describe('pings', () => {
  test('a peer that acknowledges is not lost', () => {
    const peer = new Peer();
    const onLost = jest.fn();
    startPings(peer, onLost);
    jest.advanceTimersByTime(3_600_000);
    expect(onLost).not.toHaveBeenCalled();
    expect(peer.pings).toBe(600);
  });

  test.each([0, 1, 3_000, 5_999])(
    'a peer that is lost %d ms after a ping is noticed within 20 s, once',
    (milliseconds) => {
      const peer = new Peer();
      const onLost = jest.fn();
      startPings(peer, onLost);
      jest.advanceTimersByTime(60_000 + milliseconds);
      peer.isLost = true;
      jest.advanceTimersByTime(11_999);
      expect(onLost).not.toHaveBeenCalled();
      jest.advanceTimersByTime(8_001);
      expect(onLost).toHaveBeenCalledTimes(1);
      jest.advanceTimersByTime(60_000);
      expect(onLost).toHaveBeenCalledTimes(1);
    },
  );

  test('a peer that sends data without acknowledgements is not lost', () => {
    const peer = new Peer();
    peer.isLost = true;
    const onLost = jest.fn();
    startPings(peer, onLost);
    for (let second = 0; second < 120; second += 10) {
      jest.advanceTimersByTime(10_000);
      peer.bytesRead += 1;
    }
    expect(onLost).not.toHaveBeenCalled();
  });

  test('no ping is sent after the end', () => {
    const peer = new Peer();
    startPings(peer, () => undefined)[Symbol.dispose]();
    jest.advanceTimersByTime(60_000);
    expect(peer.pings).toBe(0);
  });
});
