"""a_i . d = f(t): the point of the second body stays in a plane of the first, or is driven along its normal a_i."""

from mbsim.kernels import planar_rows, spatial_rows

COMMON = True
DIMENSIONS = (2, 3)

planar_row, planar_phi, planar_eta = planar_rows.plane_row, planar_rows.plane_phi, planar_rows.plane_eta
spatial_row, spatial_phi, spatial_eta = spatial_rows.plane_row, spatial_rows.plane_phi, spatial_rows.plane_eta
