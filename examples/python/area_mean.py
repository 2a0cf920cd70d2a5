# SPDX-License-Identifier: Apache-2.0
"""Area mean over time and a map of one field of a run, with xarray alone.

Usage: python area_mean.py my_run/files/jet_20000101T000000Z.nc vor map.png
"""

import sys

import matplotlib
import numpy as np
import xarray

matplotlib.use("Agg")
import matplotlib.pyplot as plt

if len(sys.argv) != 4:
    sys.exit(__doc__)
path, name, picture = sys.argv[1:]
data = xarray.open_zarr(path) if path.endswith(".zarr") else xarray.open_dataset(path)

# Corners of the triangles as unit vectors [cell, corner, xyz].
lon, lat = np.radians(data.vlon.values), np.radians(data.vlat.values)
nodes = np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=-1)
a, b, c = np.moveaxis(nodes[data.face_nodes.values], 1, 0)

# Solid angle of a spherical triangle (Van Oosterom and Strackee, 1983, eq. 8); all are 4 pi.
volume = np.abs(np.einsum("ci,ci->c", a, np.cross(b, c)))
dots = sum(np.einsum("ci,ci->c", one, other) for one, other in ((a, b), (b, c), (c, a)))
area = xarray.DataArray(2 * np.arctan2(volume, 1 + dots), dims="cell")

field = data[name]
mean = field.weighted(area).mean("cell")
print(f"area of the sphere: {float(area.sum() / np.pi):.6f} pi")
for time in mean.time.values:
    values = np.atleast_1d(mean.sel(time=time).values)
    print(np.datetime_as_string(time, "m"), *(f"{value:.6e}" for value in values))

last = field.isel(time=-1)
top = last.isel({axis: 0 for axis in last.dims if axis != "cell"})  # of layers or half levels
plt.scatter(data.clon, data.clat, c=top, s=2)
plt.colorbar(label=f"{name} [{field.attrs.get('units', '')}]")
plt.title(str(last.time.values)[:16])
plt.savefig(picture, dpi=100)
