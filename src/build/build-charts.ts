import { join } from 'node:path'
import { build } from 'vite'
import { builtDir } from '../platform/built-dir.ts'

/**
 * Builds one file of the parts of ECharts that draw the charts of spend into `build/echarts`: two thirds of its smallest
 * one that has bars.
 */
export async function buildCharts(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: builtDir('echarts'),
      // Its licenses are there.
      emptyOutDir: false,
      minify: true,
      lib: {
        entry: join(import.meta.dirname, 'charts-library.ts'),
        formats: ['cjs'],
        fileName: () => 'echarts.cjs',
      },
    },
  })
}
