#ifndef LT_CPU_NN_CONV_WORK_H
#define LT_CPU_NN_CONV_WORK_H

/* The plan of a convolution's result or of the gradient of x, which conv.c and conv_planes.c share. */

#include "cpu/nn/conv.h"

/* One product of the weights with the elements that taps read for the pixels of a grid. All pixels of the grid have
** the same taps. */
typedef struct conv_part {
  int64_t   k;
  int64_t  *tap, *weight;      /* [k] offsets: of the tap in the source planes of a group, and of the weight in a row
                               ** of w */
  conv_grid grid;
  int64_t   first, row, column;   /* in the result's planes: the offset of pixel 0, and the strides of rows and
                                  ** columns */
  bool      dense;             /* true: the pixels fill the result's plane in order */
  bool      wide;              /* true: rows are computed over the full length of the source's rows, so that no
                               ** gathering is necessary */
  int64_t   reach;             /* the largest offset in `tap` */
  int64_t   across, items;     /* in a round: the panels of the pixels that are counted together, and those of a group */
  char     *panels;            /* the packed weights, panel after panel */
} conv_part;

typedef struct conv_work {
  const conv_call  *c;
  const conv_table *kernel;
  conv_source source;
  enum dtype  compute;
  int         size;            /* the size in bytes of an element of the source */
  int64_t     m;               /* the number of rows in a group's weights, which is the number of the group's channels
                               ** in the result */
  int64_t     m_padded;        /* the number of rows in a group's packed weights: m rounded up to whole panels */
  int64_t     weight_row, weight_group;   /* strides of rows and groups in w, in elements */
  int64_t     group_plane;     /* the stride of groups in the source */
  char       *result;
  int64_t     plane;           /* the number of elements of a plane of the result */
  const char *weights, *bias;  /* both in the compute dtype; `bias` is [groups * m] or NULL */
  conv_part  *parts;
  int         count;
  int64_t    *step;            /* the offsets of the K_BLOCK rows in a gathered panel */
  const char *source_end;
  char       *padded, *scratch;   /* padded: the padded images of this round; scratch: scratch_bytes for each
                                  ** thread */
  size_t      scratch_bytes;
  int         threads;
  int64_t     image, images;   /* the number of the first image of this round, and the number of images */
  bool        by_planes;       /* true: conv_one_plane computes the results, plane by plane, without panels and rounds */
  bool        gaps;            /* true: some elements of the result are in no part, so they are 0 */
  int64_t     columns, down, band;   /* if by_planes, the number of columns of the result, of its rows in a step, and
                                     ** of steps in a band. Each part has at most one row in a step */
} conv_work;

static inline char *conv_panel_at(const conv_work *w, const conv_part *p, int64_t group, int64_t i) {
  return p->panels + (group * w->m_padded + i) * p->k * w->size;
}

static inline const char *conv_bias_at(const conv_work *w, int64_t channel) { return w->bias ? w->bias + channel * w->size : NULL; }

/* True if conv_one_plane should compute the results. */
bool conv_has_planes(const conv_work *w);

/* Sets the fields that conv_one_plane needs: the columns and the height of a band. */
void conv_plan_bands(conv_work *w);

/* Computes plane t of the result, of a group of one image. `arg` is the conv_work. */
void conv_one_plane(const void *arg, int64_t t, int worker);

#endif
