/** Of the whole process. A document of 250 pages takes a third of it, and Node 50 MB. */
export const MEMORY_MB_MAX = 300

/** Of its heap, which it reaches only by a leap: what grows by steps is seen before. */
export const HEAP_MB_MAX = 256

/** From its start on. 250 pages of a PDF take less than a second; on a busy machine several times as much. */
export const READ_MS_MAX = 15_000
