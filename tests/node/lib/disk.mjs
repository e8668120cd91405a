// SPDX-License-Identifier: MIT
// tests/node/lib/disk.mjs - a folder whose disk can be full: a small tmpfs of its own, which only root may
// mount; for anybody else the files of one process may not grow any more.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fine = (path, args) => spawnSync(path, args, { stdio: 'ignore' }).status === 0;

// bytes: of the tmpfs; drop: at the end. fill(pid): until free(pid) nothing more can be written there (by the process).
export const smallDisk = bytes => {
  const folder = mkdtempSync(join(tmpdir(), 'askd-disk-')), filler = join(folder, 'filler');
  const drop = () => rmSync(folder, { recursive: true, force: true });
  if (process.getuid() !== 0 || !fine('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder])) {
    console.log(`# no tmpfs without root: files of the process may not grow instead`);
    return {
      folder,
      fill: pid => fine('prlimit', [`--pid=${pid}`, '--fsize=1:']),
      free: pid => fine('prlimit', [`--pid=${pid}`, '--fsize=unlimited:']),
      drop,
    };
  }
  return {
    folder,
    fill: () => {
      try {
        for (let size = statfsSync(folder).bavail * statfsSync(folder).bsize; ; size = 4096)
          writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
      } catch (error) {
        return error.code === 'ENOSPC';
      }
    },
    free: () => {
      rmSync(filler, { force: true });
      return true;
    },
    drop: () => {
      fine('umount', ['-l', folder]);
      drop();
    },
  };
};
