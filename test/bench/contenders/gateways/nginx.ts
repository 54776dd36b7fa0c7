import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort, startProgram } from '../../measuring/program.ts'
import type { Gateway } from './gateway.ts'

/** nginx in one process, set to hand on what comes as it comes. It has to be on the PATH. */
export const nginx: Gateway = {
  name: 'nginx',
  usesDatabase: false,
  async start({ upstream, core, signal }) {
    const folder = await mkdtemp(join(tmpdir(), 'kopeck-bench-'))
    const removeFiles = () => rm(folder, { recursive: true, force: true })
    try {
      const port = await findPort()
      const config = join(folder, 'nginx.conf')
      await writeFile(config, toConfig({ folder, port, upstream: new URL(upstream).host }))
      const program = await startProgram({
        program: ['nginx', '-c', config, '-p', folder, '-e', 'stderr'],
        port,
        core,
        signal,
      })
      return {
        ...program,
        url: `${program.address}/v1/chat/completions`,
        model: 'bench',
        headers: () => ({}),
        stop: () => program.stop().finally(removeFiles),
      }
    } catch (error) {
      await removeFiles()
      throw error
    }
  },
}

function toConfig(options: { folder: string; port: number; upstream: string }): string {
  return `
daemon off;
master_process off;
pid ${options.folder}/pid;
error_log stderr;
events { worker_connections 8192; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size 64m;
  client_body_temp_path ${options.folder}/body;
  proxy_temp_path ${options.folder}/proxy;
  fastcgi_temp_path ${options.folder}/fastcgi;
  uwsgi_temp_path ${options.folder}/uwsgi;
  scgi_temp_path ${options.folder}/scgi;
  upstream model {
    server ${options.upstream};
    keepalive 2048;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${options.port};
    location / {
      proxy_pass http://model;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 1h;
    }
  }
}
`
}
