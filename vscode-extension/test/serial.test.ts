import assert from "node:assert/strict";
import { test } from "node:test";
import { Serial } from "../src/serial";

/** Returns a serial action whose runs the test ends. */
function controlled(): { serial: Serial; runs: { end(): void; fail(): void }[]; most: () => number } {
  const runs: { end(): void; fail(): void }[] = [];
  let now = 0;
  let most = 0;
  const serial = new Serial(async () => {
    most = Math.max(most, ++now);
    try {
      await new Promise<void>((end, fail) =>
        runs.push({
          end,
          fail: () => {
            fail(new Error("no"));
          },
        }),
      );
    } finally {
      now--;
    }
  });
  return { serial, runs, most: () => most };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a start and two restarts are two runs, one after the other", async () => {
  const { serial, runs, most } = controlled();
  const asked = [serial.run(), serial.run(), serial.run()];
  runs[0]?.end();
  await settle();
  assert.equal(runs.length, 2);
  runs[1]?.end();
  await Promise.all(asked);
  assert.equal(most(), 1);
});

test("who waits for no run waits for those that are queued, too", async () => {
  const { serial, runs } = controlled();
  await serial.idle();
  const asked = [serial.run(), serial.run()];
  let isIdle = false;
  const idle = serial.idle().then(() => (isIdle = true));
  runs[0]?.end();
  await settle();
  assert.equal(isIdle, false);
  runs[1]?.end();
  await Promise.all([...asked, idle]);
  assert.equal(isIdle, true);
});

test("a run that fails is followed by the one that is queued", async () => {
  const { serial, runs } = controlled();
  const first = assert.rejects(serial.run());
  const second = serial.run();
  runs[0]?.fail();
  await first;
  await settle();
  runs[1]?.end();
  await second;
});
